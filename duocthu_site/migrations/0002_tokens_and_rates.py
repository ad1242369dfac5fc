"""Tokens of the API, and the counts of its limits."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("duocthu_site", "0001_roles"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.CharField(help_text="Chương trình nào dùng mã này.", max_length=80, verbose_name="tên"),
                ),
                ("digest", models.CharField(editable=False, max_length=64, unique=True)),
                ("hint", models.CharField(editable=False, max_length=12, verbose_name="bắt đầu bằng")),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="tạo lúc")),
                ("last_used_at", models.DateTimeField(editable=False, null=True, verbose_name="dùng gần nhất")),
                ("revoked_at", models.DateTimeField(editable=False, null=True, verbose_name="thu hồi lúc")),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="tài khoản",
                    ),
                ),
            ],
            options={
                "verbose_name": "mã truy cập API",
                "verbose_name_plural": "mã truy cập API",
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="UsedRate",
            fields=[
                ("key", models.CharField(max_length=120, primary_key=True, serialize=False)),
                ("used_until", models.DateTimeField()),
            ],
            options={
                "verbose_name": "hạn mức đã dùng",
                "verbose_name_plural": "hạn mức đã dùng",
            },
        ),
        # Written on every request and worth nothing after a crash: no need for it to reach the disk.
        migrations.RunSQL("ALTER TABLE duocthu_site_usedrate SET UNLOGGED", migrations.RunSQL.noop),
    ]

"""A record of what was deleted."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("duocthu_site", "0002_tokens_and_rates")]

    operations = [
        migrations.CreateModel(
            name="Removal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("removed_at", models.DateTimeField(auto_now_add=True, verbose_name="lúc")),
                ("removed_by", models.CharField(max_length=150, verbose_name="người hoặc lệnh")),
                ("rule", models.JSONField(verbose_name="quy tắc")),
                ("counts", models.JSONField(verbose_name="số lượng")),
            ],
            options={
                "verbose_name": "lần xoá dữ liệu",
                "verbose_name_plural": "lần xoá dữ liệu",
                "ordering": ["-removed_at"],
            },
        ),
    ]

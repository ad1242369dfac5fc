"""The groups of the roles. A change of the table of roles is brought in by a later migration that does the same."""

from typing import Any

from django.db import migrations

from duocthu_site.roles import write_groups


def make_groups(apps: Any, _schema_editor: Any) -> None:
    write_groups(apps)


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("monographs", "0002_passage_search"),
        ("ingest", "0003_reviews_and_operators"),
        ("chat", "0003_traces_and_handled_feedback"),
    ]

    operations = [migrations.RunPython(make_groups, migrations.RunPython.noop)]

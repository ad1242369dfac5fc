"""The queue's own tables and functions, for the deployments that keep it in the database."""

from __future__ import annotations

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from pgmq.install import get_embedded_install_sql


def install_queue(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Create the schema pgmq, unless the server already provides it (as an extension, or by hand)."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'pgmq'")
        if cursor.fetchone() is None:
            cursor.execute(get_embedded_install_sql())


class Migration(migrations.Migration):
    """Undoing it leaves the schema in place: it may hold tasks that were not done yet."""

    dependencies = [("ingest", "0001_initial")]

    operations = [migrations.RunPython(install_queue, migrations.RunPython.noop)]

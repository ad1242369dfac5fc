"""The ingest app: from a PDF to an edition."""

from django.apps import AppConfig


class IngestConfig(AppConfig):
    """Runs, findings and reviews."""

    name = "ingest"
    verbose_name = "Nạp dược thư"
    default_auto_field = "django.db.models.BigAutoField"

"""The monographs app: the book as published."""

from django.apps import AppConfig


class MonographsConfig(AppConfig):
    """Editions, monographs, sections, passages and aliases."""

    name = "monographs"
    verbose_name = "Chuyên luận"
    default_auto_field = "django.db.models.BigAutoField"

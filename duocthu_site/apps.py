"""The site as an app: its roles are rows, and its commands are found."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """Roles and accounts."""

    name = "duocthu_site"
    verbose_name = "Trang"

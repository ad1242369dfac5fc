"""The site: settings, the embedded server, the queue and the processes that serve it."""

import os

# Before Celery's application is made: it looks for Django's settings at that moment.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "duocthu_site.settings.embedded")

from duocthu_site.celery import app as celery_app

__all__ = ["celery_app"]

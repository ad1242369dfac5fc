"""The site: settings, the embedded server, the queue and the processes that serve it."""

from duocthu_site.celery import app as celery_app

__all__ = ["celery_app"]

"""The Celery application and what every worker does beside its tasks."""

from __future__ import annotations

from celery import Celery

app = Celery("duocthu")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

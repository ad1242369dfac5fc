"""The WSGI entry point."""

import os

from django.core.wsgi import get_wsgi_application

from duocthu_site.parent_death import die_with_supervisor

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "duocthu_site.settings.embedded")
die_with_supervisor()

application = get_wsgi_application()

"""The WSGI entry point."""

from django.core.wsgi import get_wsgi_application

from duocthu_site.parent_death import die_with_supervisor

die_with_supervisor()

application = get_wsgi_application()

"""The WSGI entry point."""

from django.core.wsgi import get_wsgi_application

from duocthu_site.parent_death import die_with_supervisor
from duocthu_site.warm_up import warm_up_beside

die_with_supervisor()

application = get_wsgi_application()
warm_up_beside()

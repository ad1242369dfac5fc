"""The WSGI entry point."""

from django.core.wsgi import get_wsgi_application

from duocthu_site.parent_death import die_with_supervisor
from duocthu_site.shared_counts import share_counts
from duocthu_site.tracing import start_tracing
from duocthu_site.warm_up import warm_up_beside

die_with_supervisor()

share_counts()
application = get_wsgi_application()
start_tracing()

from duocthu_site.metrics import count_process  # noqa: E402 - its models are known only now

count_process("web")
warm_up_beside()

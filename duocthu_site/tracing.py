"""Where spans are sent, if anywhere: OpenTelemetry over HTTP, as its own variables say."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from monographs.spans import trace_with

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

log = logging.getLogger(__name__)
_providers: list[TracerProvider] = []


def start_tracing() -> None:
    """Has this process send its spans, in the background, where an address is set; else nothing is even imported.

    To be called in the process that makes them: a fork would leave the sending thread behind.
    """
    from django.conf import settings

    if not settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    name = os.environ.get("OTEL_SERVICE_NAME") or "duocthu"
    provider = TracerProvider(resource=Resource.create({"service.name": name, "service.version": settings.APP_VERSION}))
    exporter = OTLPSpanExporter(endpoint=f"{settings.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace_with(provider)
    _providers.append(provider)
    log.info("spans_sent to=%s", settings.OTEL_EXPORTER_OTLP_ENDPOINT)


def stop_tracing() -> None:
    """Sends what is left, in a process that ends without what Python does at the end of one."""
    trace_with(None)
    while _providers:
        _providers.pop().shutdown()

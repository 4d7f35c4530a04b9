"""Numbers for Prometheus, by route and status. No user, space or id is a label."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

MEDIA_TYPE = CONTENT_TYPE_LATEST
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """The numbers of one worker process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "memfort_http_requests", "Answers, by route and status.", ("route", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "memfort_http_request_seconds",
            "From the head of a request to the end of its answer.",
            ("route",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.under_way = Gauge("memfort_http_requests_under_way", "Requests under way.", registry=self.registry)

    def exposition(self) -> bytes:
        return generate_latest(self.registry)

"""The trail as CloudEvents 1.0 in structured JSON. A pure function from a line to an event."""

from __future__ import annotations

from typing import Any

from memfort.model.moment import to_text
from memfort.trail.exporters.line import Line, line_id


def cloud_event(line: Line, source: str) -> dict[str, Any]:
    """A line of the trail as a CloudEvent. `source` is a URI reference that names the store.

    The type names the verb and the decision, so that a broker can route refusals; the data is the line as it is.
    """
    event = line["event"]
    subject = {} if event["item"] is None else {"subject": event["item"]}
    return {
        "specversion": "1.0",
        "id": line_id(line),
        "source": source,
        "type": f"dev.memfort.{event['action']}.{event['decision']}.v1",
        **subject,
        "time": to_text(event["at"]),
        "datacontenttype": "application/json",
        "data": dict(line),
    }

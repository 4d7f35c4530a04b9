"""The trail as OCSF, the schema that security tools share: class Datastore Activity, in one pinned version.

A pure function from a line to an event. Fields that OCSF does not define are copied to `unmapped`. The version is one
that current tools can read; the events are also valid in 1.9.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memfort.model.moment import to_text
from memfort.model.people.actor import ActorKind
from memfort.model.reason import Reason, explanation
from memfort.trail.exporters.activity import Activity
from memfort.trail.exporters.line import Line, line_id

VERSION = "1.6.0"
CLASS_UID = 6005


_MAPPED = frozenset({"at", "action", "actor", "surface", "decision", "reason", "policy"})


def ocsf_event(line: Line, source: str, activity: Activity) -> dict[str, Any]:
    """A line of the trail as an OCSF event. `source` names the store; `activity` is the activity of its action."""
    event = line["event"]
    return {
        "category_uid": 6,
        "category_name": "Application Activity",
        "class_uid": CLASS_UID,
        "class_name": "Datastore Activity",
        **_activity(event["action"], activity),
        **_status(event["decision"], event["reason"]),
        "time": event["at"] // 1000,  # milliseconds; `original_time` has the microseconds
        "metadata": _metadata(line),
        "actor": _actor(event),
        "src_endpoint": {"svc_name": event["surface"]},
        "type_id": 1,
        "type": "Database",
        "database": {"uid": source, "name": "Memfort", "type_id": 99, "type": "Memory"},
        "unmapped": _unmapped(line),
    }


def _activity(action: str, activity: Activity) -> dict[str, Any]:
    """The activity. An action that OCSF does not define keeps its own name."""
    name = action if activity is Activity.OTHER else activity.name.capitalize()
    return {
        "activity_id": activity.value,
        "activity_name": name,
        "type_uid": CLASS_UID * 100 + activity,
        "type_name": f"Datastore Activity: {name}",
    }


def _status(decision: str, reason: str) -> dict[str, Any]:
    status_id, status = {"allowed": (1, "Success"), "denied": (2, "Failure")}.get(decision, (99, decision))
    severity_id, severity = (2, "Low") if decision == "denied" else (1, "Informational")
    return {
        "status_id": status_id,
        "status": status,
        "status_code": reason,
        "status_detail": _sentence(reason),
        "severity_id": severity_id,
        "severity": severity,
    }


def _sentence(reason: str) -> str:
    """The meaning of a reason code. An unknown code of a later version is shown as it is."""
    return explanation(Reason(reason)) if reason in set(Reason) else reason


def _metadata(line: Line) -> dict[str, Any]:
    event = line["event"]
    place = {"sequence": line["number"]} if "number" in line else {}
    return {
        "version": VERSION,
        "product": {"name": "Memfort", "vendor_name": "Memfort"},
        "uid": line_id(line),
        "event_code": event["action"],
        "log_name": "trail",
        "original_time": to_text(event["at"]),
        **place,
    }


def _actor(event: Mapping[str, Any]) -> dict[str, Any]:
    """The actor: a user, the system, or an application (an agent) and the user it acted for."""
    who = event["actor"]
    allowed_by = {"authorizations": [{"decision": event["decision"], "policy": {"uid": event["policy"]}}]}
    if who["kind"] != ActorKind.AGENT:
        return {"user": _user(who["kind"], who["id"]), **allowed_by}
    behind = {} if who["acting_for"] is None else {"user": _user(ActorKind.USER, who["acting_for"])}
    return {"app_uid": who["id"], "app_name": who["id"], **behind, **allowed_by}


def _user(kind: str, id: str) -> dict[str, Any]:
    type_id, type = (3, "System") if kind == ActorKind.SYSTEM else (1, "User")
    return {"uid": id, "name": id, "type_id": type_id, "type": type}


def _unmapped(line: Line) -> dict[str, Any]:
    event = line["event"]
    rest = {name: value for name, value in event.items() if name not in _MAPPED}
    place = {"chain": line["chain"], "hash": line.get("hash"), "agent_owner": event["actor"]["owner"]}
    return {name: value for name, value in {**place, **rest}.items() if value not in (None, {})}

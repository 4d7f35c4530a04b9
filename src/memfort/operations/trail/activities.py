"""The OCSF activity of each action in the trail: most are verbs, whose rows give it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from memfort.operations.table import TABLE
from memfort.trail.exporters.activity import Activity

# Actions that are not verbs. Rows of the table come first.
NO_VERBS: Mapping[str, Activity] = {
    "supersede": Activity.UPDATE,
    "apply_policy": Activity.UPDATE,
    "agree": Activity.UPDATE,
    "release": Activity.DELETE,
    "expire": Activity.DELETE,
    "evict": Activity.DELETE,
    "retire_phase": Activity.DELETE,
    "finish_erasure": Activity.DELETE,
}


@cache
def activities() -> Mapping[str, Activity]:
    """The activities by action. Actions missing here (sharing, the directory, keys, upkeep) are `OTHER` under their own
    name."""
    rows = {row.recorded_as: row.ocsf_activity for row in TABLE.values()}
    return {
        **NO_VERBS,
        **{action: found for action, found in rows.items() if found is not Activity.OTHER},
    }


def activity_of(action: str) -> Activity:
    return activities().get(action, Activity.OTHER)

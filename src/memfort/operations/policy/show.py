"""Show a policy."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.engine import Engine
from memfort.engine.inputs import id_of
from memfort.engine.view import View
from memfort.errors import InvalidInput, NotFound
from memfort.model.value import Value
from memfort.operations.policy.policy_argument import PolicyGiven
from memfort.operations.requests import Request
from memfort.policy.settings.document import preset, preset_names
from memfort.policy.settings.policy import Policy

STORE, DEFAULT = "store", "default"


class PolicyShowRequest(Request, frozen=True):
    """The policy to show: the one in force, unless one of these fields is given."""

    preset: Annotated[PolicyGiven | None, Meta(description="Another policy: a preset's name, or a file.")] = None
    digest: Annotated[
        str | None,
        Meta(description="An earlier one, by its digest: a preset, or one that was once put to use here."),
    ] = None
    in_use: Annotated[bool, Meta(description="The one in use in the store, even if another is in force.")] = False


class PolicyShown(Value, frozen=True):
    """A policy, and where it comes from."""

    policy: Policy
    origin: str
    digest: str  # that every decision under it names


def handle(view: View, request: PolicyShowRequest) -> PolicyShown:
    """The policy in force, with its digest: the name that every decision carries."""
    if (request.preset is not None) + (request.digest is not None) + request.in_use > 1:
        raise InvalidInput("digest", "another policy is named too", "name one of them")
    if request.preset is not None:
        return _shown(request.preset.policy, request.preset.policy.name)
    if request.digest is not None:
        return _find_policy(view.engine, request.digest)
    if request.in_use:
        found = view.engine.policy_in_use()
        if found is None:
            raise NotFound("policy", "in use", "none was put to use here")
        return _shown(found, STORE)
    return _shown(view.policy, _origin(view.engine))


def _shown(policy: Policy, origin: str) -> PolicyShown:
    return PolicyShown(policy, origin, policy.digest)


def _find_policy(engine: Engine, digest: str) -> PolicyShown:
    """The policy with a digest. Presets are found even if they were never put to use."""
    for name in preset_names():
        if preset(name).digest == digest:
            return _shown(preset(name), name)
    found = engine.policy_with_digest(id_of(digest, "digest"))
    if found is None:
        raise NotFound("policy", digest, "only policies that were put to use here are kept")
    return _shown(found, STORE)


def _origin(engine: Engine) -> str:
    """Where the policy in force comes from: the program that opened the store named it, or it is in use in the
    store."""
    if not engine.follows:
        return engine.policy_origin
    return DEFAULT if engine.store.policy() is None else STORE

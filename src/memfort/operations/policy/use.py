"""Put a policy to use in the store."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.engine import Engine
from memfort.engine.transaction import Session
from memfort.errors import StoreError
from memfort.model.reason import Reason
from memfort.model.value import Value
from memfort.operations.policy.policy_argument import PolicyGiven
from memfort.operations.requests import Request
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.render import as_toml, difference
from memfort.store.port import PutPolicy, Store


class PolicyUseRequest(Request, frozen=True):
    """Which policy to put to use."""

    policy: Annotated[PolicyGiven, Meta(description="The policy that decides from now on.")]
    dry_run: Annotated[bool, Meta(description="Say what would change, and do nothing.")] = False


class PolicyUse(Value, frozen=True):
    """A policy that was put to use, or would be."""

    name: str
    digest: str
    changed: tuple[str, ...] | None  # keys that the one before said differently; `None` if that one does not read
    problem: str | None = None  # why it does not
    dry_run: bool = False


def handle(session: Session, request: PolicyUseRequest) -> PolicyUse:
    """Put a policy to use: here at once, and wherever else this store is opened from now on without another. It is kept
    with those before it, and on record."""
    policy = request.policy.policy
    changed, problem = _changed_keys(session.engine, policy)
    if not request.dry_run:
        _activate(session, policy)
    return PolicyUse(policy.name, policy.digest, changed, problem, request.dry_run)


def _activate(session: Session, policy: Policy) -> None:
    document = as_toml(policy)
    with session.transaction([]) as tx:
        if not _is_in_use(tx.store, document):
            detail = {"policy": policy.digest, "document_digest": tx.store.keys.digest(document)}
            event = tx.as_system().recorder.directory_event("use_policy", Reason.POLICY_IN_USE, detail=detail)
            tx.apply([PutPolicy(policy.digest, document)], [event])
    session.engine.use_policy(policy)


def _changed_keys(engine: Engine, policy: Policy) -> tuple[tuple[str, ...] | None, str | None]:
    """What the policy says otherwise than the one in use. To put another to use is how to get rid of one that does not
    read any more, so that is no error here."""
    try:
        before = engine.policy_in_use()
    except StoreError as error:
        return None, str(error)
    return tuple(change.key for change in difference(before or Policy(), policy)), None


def _is_in_use(store: Store, document: str) -> bool:
    try:
        return store.policy() == document
    except StoreError:  # its record is damaged, and any other is better
        return False

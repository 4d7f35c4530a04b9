"""Put a policy to use in the store."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.engine import Engine
from memfort.engine.transaction import Session, Transaction
from memfort.errors import StoreError
from memfort.model.reason import Reason
from memfort.model.value import Value
from memfort.operations.policy.apply import AppliedPolicy, apply_policy, preview
from memfort.operations.policy.policy_argument import PolicyGiven
from memfort.operations.requests import Request
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.render import as_toml, difference
from memfort.store.port import PutPolicy, Scope, Store


class PolicyUseRequest(Request, frozen=True):
    """The policy to put to use."""

    policy: Annotated[PolicyGiven, Meta(description="The policy that is in force from now on.")]
    apply: Annotated[bool, Meta(description="Also give the memories that are there the ends that it sets.")] = False
    dry_run: Annotated[bool, Meta(description="Show what would change, and do nothing.")] = False


class PolicyUse(Value, frozen=True):
    """A policy that was put to use, or would be."""

    name: str
    digest: str
    changed: tuple[str, ...] | None  # keys that changed; `None` if the previous policy is unreadable
    problem: str | None = None  # why it is unreadable
    dry_run: bool = False
    applied: AppliedPolicy | None = None  # what it changes about the memories that are there, if it is applied to them


def handle(session: Session, request: PolicyUseRequest) -> PolicyUse:
    """Put a policy to use: here at once, and for every program that opens this store later without naming another. The
    store keeps it with the earlier ones and records the change. Memories that are there keep their ends unless it is
    applied to them."""
    policy = request.policy.policy
    changed, problem = _changed_keys(session.engine, policy)
    applied = preview(session, policy) if request.apply else None
    if not request.dry_run:
        _activate(session, policy)
        if applied is not None:
            apply_policy(session, applied)
    return PolicyUse(policy.name, policy.digest, changed, problem, request.dry_run, applied)


def _activate(session: Session, policy: Policy) -> None:
    session.write(Scope(directory=True), lambda tx: _put_to_use(tx, policy, as_toml(policy)))
    session.engine.use_policy(policy)


def _put_to_use(tx: Transaction, policy: Policy, document: str) -> None:
    if not _is_in_use(tx.store, document):
        detail = {"policy": policy.digest, "document_digest": tx.store.keys.digest(document)}
        event = tx.as_system().recorder.directory_event("use_policy", Reason.POLICY_IN_USE, detail=detail)
        tx.apply([PutPolicy(policy.digest, document)], [event])


def _changed_keys(engine: Engine, policy: Policy) -> tuple[tuple[str, ...] | None, str | None]:
    """The keys in which the policy differs from the one in use. An unreadable policy in use is not an error here, since
    putting another to use is how to replace it."""
    try:
        before = engine.policy_in_use()
    except StoreError as error:
        return None, str(error)
    return tuple(change.key for change in difference(before or Policy(), policy)), None


def _is_in_use(store: Store, document: str) -> bool:
    try:
        return store.policy() == document
    except StoreError:  # its record is damaged, so any other is better
        return False

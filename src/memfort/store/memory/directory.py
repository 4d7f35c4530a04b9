"""Questions about the directory: agents, chats, groups, shares and policies. Nothing here is about a memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from memfort.model.people.access_key import KeptKey, key_to_dict
from memfort.model.people.actor import Standpoint
from memfort.model.people.directory import (
    Agent,
    Chat,
    Facts,
    Principal,
    Share,
    Trust,
    is_held_by,
    is_in_force,
    principal_of,
    share_to_dict,
)
from memfort.model.space import Coordinate, Level, Space
from memfort.store.memory.transactions import Transactions
from memfort.store.port import Reply


class DirectoryQuestions(Transactions):
    def facts(self, standpoint: Standpoint) -> Facts:
        state, principal = self._state, principal_of(standpoint.actor)
        agents = {coordinate.id for coordinate in standpoint.coordinates if coordinate.level is Level.AGENT}
        groups = {coordinate: state.members.get(coordinate) for coordinate in standpoint.coordinates}
        owners = {id: state.agents[id].owner for id in agents if id in state.agents}
        return Facts(
            owners=owners,
            registered=frozenset(coordinate for coordinate, members in groups.items() if members is not None),
            joined={group: members[principal] for group, members in groups.items() if members and principal in members},
            shares=tuple(self._shares_held(standpoint)),
            phases=state.phases_begun,
            policy=state.policy,
            version=state.directory_version,
        )

    def _shares_held(self, standpoint: Standpoint) -> Iterator[Share]:
        """Shares in force that name the principal, a group that it is in, or one where it stands that nobody has
        registered."""
        shares, members_of, principal = self._state.shares, self._state.members.get, principal_of(standpoint.actor)
        for _, share in sorted(shares.items()):
            group = share.group
            if group is not None and group not in standpoint.coordinates and members_of(group) is None:
                continue  # the host vouches only for groups where the principal stands
            if is_held_by(share, principal, members_of) and is_in_force(share, members_of, self.trust, shares.get):
                yield share

    def agent(self, id: str) -> Agent | None:
        return self._state.agents.get(id)

    def agents_of(self, owner: str, limit: int) -> list[str]:
        return sorted(id for id, agent in self._state.agents.items() if agent.owner == owner)[:limit]

    def chat(self, id: str) -> Chat | None:
        kind = self._state.chats.get(id)
        return None if kind is None else Chat(id, kind, frozenset(self.members(Coordinate(Level.CHAT, id))))

    def members(self, coordinate: Coordinate) -> list[Principal]:
        return sorted(self._state.members.get(coordinate, ()))

    def trust(self, coordinate: Coordinate, member: Principal) -> Trust | None:
        return self._state.members.get(coordinate, {}).get(member)

    def shares_of(self, spaces: Sequence[Space]) -> list[Share]:
        wanted = set(spaces)
        return sorted((s for s in self._state.shares.values() if s.space in wanted), key=lambda share: share.id)

    def access_key(self, id: str) -> KeptKey | None:
        return self._state.access_keys.get(id)

    def access_keys(self) -> list[KeptKey]:
        return [kept for _, kept in sorted(self._state.access_keys.items())]

    def reply(self, key: bytes) -> Reply | None:
        kept = self._state.replies.get(key)
        return None if kept is None else replace(kept, names=())

    def policy(self, digest: str | None = None) -> str | None:
        wanted = self._state.policy if digest is None else digest
        return None if wanted is None else self._state.policies.get(wanted)

    def directory(self) -> Iterator[tuple[tuple[str, ...], Any]]:
        state = self._state
        groups = {(group.level.value, group.id): members for group, members in state.members.items()}
        lines: dict[tuple[str, ...], Any] = {
            **{("agent", agent.id): agent.owner for agent in state.agents.values()},
            **{("chat", id): kind.value for id, kind in state.chats.items()},
            **{("group", *group): True for group in groups},
            **{
                ("member", *group, member.kind.value, member.id): trust.value
                for group, members in groups.items()
                for member, trust in members.items()
            },
            **{("share", share.id): share_to_dict(share) for share in state.shares.values()},
            **{("key", id): key_to_dict(kept) for id, kept in state.access_keys.items()},
        }
        return iter(lines.items())

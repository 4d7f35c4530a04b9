"""The verbs of a history: what is passed to each."""

from __future__ import annotations

from typing import Any

from memfort.model.item import Readers
from memfort.model.moment import MICROSECONDS_PER_SECOND
from memfort.testing.histories import START, Voice
from memfort.testing.messages import messages_of
from memfort.testing.space_histories.cast import BEA, CLEO, SHARED
from memfort.testing.space_histories.statements import Statements
from memfort.testing.space_histories.words import (
    ANSWERS,
    HINTS,
    QUERIES,
    TURNS,
    TURNS_ABOUT_NO_ONE,
    line,
    node,
    row,
)

WAITS = (1, 31, 3_600, 3 * 86_400)
PROMOTION_LEVELS = ("user", "project", "workspace")


class Verbs(Statements):
    def _remember(self, voice: Voice) -> dict[str, Any]:
        return self._statement(voice)

    def _remember_many(self, voice: Voice) -> dict[str, Any]:
        return {"memories": [self._statement(voice) for _ in range(self._rng.randint(2, 4))]}

    def _recall(self, voice: Voice) -> dict[str, Any]:
        given: dict[str, Any] = {"query": self._rng.choice(QUERIES), "limit": self._rng.choice((1, 2, 10))}
        given |= self._maybe(0.1, {"tags": ["ops"]}) | self._maybe(0.2, {"space": self._place_to_read(voice)})
        given |= self._maybe(0.25, self._as_of(voice))
        is_explained = voice.party == "bea" and given["limit"] == 2 and "as_of" not in given
        return given | {"explain": True} if is_explained else given

    def _as_of(self, voice: Voice) -> dict[str, Any]:
        """An earlier moment, or an earlier phase of a space."""
        if self._rng.random() < 0.5:
            return {"as_of": START + self._rng.choice((0, *WAITS)) * MICROSECONDS_PER_SECOND}
        return {"as_of": self._rng.choice(("phase-1", "phase-2")), "space": self._phase_place(voice)}

    def _get(self, voice: Voice) -> dict[str, Any]:
        return {"id": self._id(voice, to_change=False)}

    _history = _get

    def _explain(self, voice: Voice) -> dict[str, Any]:
        """Explain a memory, with or without a query. Draws no random number for the query, so that recorded seeds keep
        catching their leaks."""
        turn = len(self._expected)
        given: dict[str, Any] = {"ids": [self._id(voice, to_change=False)]}
        return given if turn % 4 == 0 else given | {"query": QUERIES[turn % len(QUERIES)], "limit": 1 + turn % 3}

    def _about(self, voice: Voice) -> dict[str, Any]:
        """What is known about a person. No party asks about ada: what ada says about herself would be disclosed."""
        people = (BEA, BEA, CLEO, "dora")
        return {"ids": [f"@{self._rng.choice(people)}"], "limit": self._rng.choice((1, 50))}

    def _pages(self, voice: Voice) -> dict[str, Any]:
        given: dict[str, Any] = {"limit": self._rng.choice((1, 2, 50))} | self._maybe(0.3, {"deleted": True})
        given |= self._maybe(0.2, {"statuses": ["pending", "approved", "superseded"]})
        return given | self._maybe(0.1, {"space": self._place_to_read(voice)})

    def _correct(self, voice: Voice) -> dict[str, Any]:
        id = self._id(voice, to_change=True)
        self._corrected += [one for one in self._expected if one.id == id]
        return {"id": id, "text": self._text()}

    def _restore(self, voice: Voice) -> dict[str, Any]:
        known = [one for one in self._corrected if one.voice.party == voice.party]
        if voice.party == "ada":
            known = [one for one in known if not self._would_bea_notice_a_change(one)]
        if not known or self._rng.random() < 0.2:
            return {"id": self._id(voice, to_change=True)}
        return {"id": self._rng.choice(known).id}

    def _observe(self, voice: Voice) -> dict[str, Any]:
        """A conversation turn. It has no reader list, so ada writes hers where bea is not. What ada says about herself
        in a group is disclosed in her groups, so there she speaks about no one."""
        given = self._space(voice)
        here = {level: id for level, id in voice.coordinates.items() if level in {"chat", "session"}}
        session = dict(list(here.items())[:1])
        if voice.party == "ada" and (here or self._cast.bea_sees(voice.space(given), Readers())):
            given = self._private_place(voice)
        self._conversations.append((voice, given))
        turns = TURNS_ABOUT_NO_ONE if voice.party == "ada" and "chat" in voice.coordinates else TURNS
        space, said, answer = voice.space(given or session or None), self._rng.choice(turns), self._rng.choice(ANSWERS)
        for kind, text in (("short_term", said), ("short_term", answer), ("semantic", said)):
            self._expect(voice, space, Readers(), {"text": text, "kind": kind})
        told = self._with_hint(voice, said)
        answers = self._maybe(0.7, {"answer": answer})
        tools = self._maybe(0.3, {"tools": [("harbor", self._text())]})
        messages = messages_of(told, **answers, **tools)
        number = len(self._conversations)
        if number % 3 == 0:  # some have ids, of which a few come back with other words
            messages = [{**message, "id": f"{place}-{number % 9}"} for place, message in enumerate(messages)]
        return {"messages": messages, "space": given, **({"conversation": "aside"} if number % 5 == 0 else {})}

    def _with_hint(self, voice: Voice, said: str) -> str:
        level = self._rng.choice((None, None, *HINTS))
        if voice.party == "ada" and level == "project" and voice.coordinates.get("project") == SHARED["project"]:
            level = None
        return said if level is None else HINTS[level] + said

    def _window(self, voice: Voice) -> dict[str, Any]:
        own = [space for other, space in self._conversations if other == voice]
        return {"space": self._rng.choice(own) if own and self._rng.random() < 0.8 else self._place_to_read(voice)}

    def _promote(self, voice: Voice) -> dict[str, Any]:
        """A memory and its target. What cleo promotes to where bea sees it must not depend on what ada did to it."""
        own = [one for one in self._own(voice.party, waiting=False) if one.voice == voice]
        sources = [
            one
            for one in own
            if not one.is_pending
            and one.said.get("kind") != "short_term"
            and one.space.to_dict().items() <= {**voice.coordinates, "visibility": "public"}.items()
        ]
        if voice.party == "ada":
            sources = [one for one in sources if not self._would_bea_notice_a_change(one)]
        if voice.party == "cleo":
            sources = [one for one in sources if not self._may_ada_have_changed(one) and "derived_from" not in one.said]
        places = voice.coordinates
        targets: list[dict[str, str]] = [{level: places[level]} for level in PROMOTION_LEVELS if level in places]
        if "agent" in places:
            targets += [{"agent": places["agent"], "visibility": choice} for choice in ("private", "public")]
        targets += [{"system": ""}, {"user": BEA}]
        source = self._rng.choice(sources[-4:]) if sources else None
        if source is not None and self._rng.random() < 0.8:
            targets = [one for one in targets if self._promotion_path(source, voice.space(one)) is not None] or targets
        target = self._rng.choice(targets)
        if source is None or (
            voice.party == "ada" and not self._is_hidden_from_bea(voice.space(target), source.readers)
        ):
            return {"id": "mem_unknown", "to": target}
        self._expect_copy(voice, source, target)
        return {"id": source.id, "to": target}

    def _phase_start(self, voice: Voice) -> dict[str, Any]:
        """A phase has no reader list either: every reader of the space sees it start."""
        given = self._space(voice)
        if voice.party == "ada" and not self._is_hidden_from_bea(voice.space(given), Readers()):
            given = self._private_place(voice)
        self._phases_started.append((voice, given))
        return {"reason": self._rng.choice(("new quarter", "moved")), "space": given} | self._maybe(0.3, {"name": "q2"})

    def _phase_list(self, voice: Voice) -> dict[str, Any]:
        return {"space": self._phase_place(voice)}

    def _phase_diff(self, voice: Voice) -> dict[str, Any]:
        given = {"earlier": self._rng.choice(("phase-1", "phase-1", "phase-2")), "space": self._phase_place(voice)}
        return given | self._maybe(0.3, {"later": self._rng.choice(("phase-2", "phase-3"))})

    def _phase_place(self, voice: Voice) -> dict[str, str] | None:
        known = [space for other, space in self._phases_started if other == voice]
        return self._rng.choice(known) if known and self._rng.random() < 0.8 else self._place_to_read(voice)

    def _trace_show(self, voice: Voice) -> dict[str, Any]:
        return {"back": self._rng.randint(1, 6), "expanded": self._rng.random() < 0.1}

    def _explain_trace(self, voice: Voice) -> dict[str, Any]:
        return {"back": self._rng.randint(1, 3)}

    def _review_edit(self, voice: Voice) -> dict[str, Any]:
        return {"id": self._ids_to_review(voice)[0], "text": self._text()}

    def _review_approve(self, voice: Voice) -> dict[str, Any]:
        return {"ids": self._ids_to_review(voice)}

    def _review_reject(self, voice: Voice) -> dict[str, Any]:
        ids = self._ids_to_review(voice)
        self._rejected += [one for one in self._expected if one.id in ids]
        return {"ids": ids}

    def _used(self, voice: Voice) -> dict[str, Any]:
        return {"ids": self._ids(voice, waiting=False)}

    def _forget(self, voice: Voice) -> dict[str, Any]:
        return {"ids": self._ids(voice, waiting=False)} | self._maybe(0.1, {"dry_run": True})

    def _ids_to_review(self, voice: Voice) -> list[str]:
        ids = self._ids(voice, waiting=True)
        self._reviewed.update(ids)
        return ids

    def _ids(self, voice: Voice, *, waiting: bool) -> list[str]:
        """One id, or two for ada and bea: cleo's second must not depend on whether the first exists."""
        count = 1 if voice.party == "cleo" else self._rng.choice((1, 1, 1, 1, 2))
        return [self._id(voice, to_change=True, waiting=waiting) for _ in range(count)]

    def _erase(self, voice: Voice) -> dict[str, Any]:
        dry_run = self._rng.random() < 0.3
        parents = [one.id for one in self._parents if one.voice == voice]
        if voice.party != "ada" and parents and self._rng.random() < 0.6:
            return {"ids": [self._rng.choice(parents)], "dry_run": dry_run}
        return {"ids": [self._id(voice, to_change=not dry_run)], "dry_run": dry_run}

    def _erase_scope(self, voice: Voice) -> dict[str, Any]:
        dry_run = self._rng.random() < 0.4
        scopes: list[dict[str, str]] = [{"session": "s1"}, {"track": "t1"}, {"user": BEA}, {"user": self._cast.ada}]
        scopes += [{"user": BEA, "session": "s1"}, {"project": self._cast.own["project"]}]
        if voice.party != "ada" or dry_run:
            scopes += [{"project": SHARED["project"]}, {"chat": SHARED["chat"]}, {"org": SHARED["org"]}]
        return {"scope": self._rng.choice(scopes), "cascade": self._rng.random() < 0.7, "dry_run": dry_run}

    def _review_list(self, voice: Voice) -> dict[str, Any]:
        return {"limit": self._rng.choice((1, 100))}

    def _explain_recall(self, voice: Voice) -> dict[str, Any]:
        return {"query": self._rng.choice(QUERIES)}

    def _explain_to(self, voice: Voice) -> dict[str, Any]:
        viewer = self._rng.choice([*self._cast.voices["ada"], *self._cast.voices["cleo"]])
        return {"id": self._id(voice, to_change=False), "viewer": viewer}

    def _check(self, voice: Voice) -> dict[str, Any]:
        verb = self._rng.choice(("remember", "get", "history", "used", "forget", "erase", "approve", "recall", "share"))
        if verb == "remember":
            return {"verb": verb, "text": self._text(), "space": self._space(voice)}
        if verb in {"recall", "share"}:
            return {"verb": verb, "space": self._space(voice)}
        return {"verb": verb, "id": self._id(voice, to_change=False)}

    def _share(self, voice: Voice) -> dict[str, Any]:
        space = self._space(voice)
        if voice.party == "ada" and self._cast.bea_sees(voice.space(space), Readers()):
            space = {"user": self._cast.ada}
        ada = self._cast.ada
        readers = {"ada": [CLEO, "be", "bea2", "Bea"], "bea": [CLEO, ada], "cleo": [BEA, ada]}
        reader: dict[str, Any] = {"user": self._rng.choice(readers[voice.party])}
        if voice.party != "cleo":
            reader = self._maybe(0.2, {"agent": "cleo-bot"}) or reader
        kind, name = next(iter(reader.items()))
        self._shared_with[voice.party].append((voice.space(space).to_dict(), f"{kind}:{name}"))
        return {"space": space, **reader}

    def _revoke(self, voice: Voice) -> dict[str, Any]:
        made = self._shared_with[voice.party] or [({"user": BEA}, f"user:{CLEO}")]
        space, reader = self._rng.choice(made)
        return {"space": space, "reader": reader}

    def _no_arguments(self, voice: Voice) -> dict[str, Any]:
        return {}

    _shares = _share_changes = _export = _sources = _trail_export = _no_arguments
    _erasures = _verify_erasure = _standings = _spaces = _no_arguments

    def _erase_source(self, voice: Voice) -> dict[str, Any]:
        return {"index": self._rng.randint(0, 3), "dry_run": self._rng.random() < 0.3}

    def _reimport(self, voice: Voice) -> dict[str, Any]:
        return {"dry_run": self._rng.random() < 0.3}

    def _import(self, voice: Voice) -> dict[str, Any]:
        """A file. Half of them have the same bytes, whichever party imports them."""
        assert voice.actor is not None
        if self._rng.random() < 0.5:
            return {"lines": self._file, "dry_run": False}
        access = self._access(voice, voice.space({"project": SHARED["project"]}))
        if access == {"users": []}:
            access = {"users": [self._cast.ada]}  # in this format an empty list means all readers
        own = [
            [node(self._text()), node(self._text(), access, project=SHARED["project"])],
            [row(str(voice.actor.user), self._text()), row(BEA, self._text()), row(self._cast.ada, self._text())],
            [
                '{"memfort_export": 1}',
                *(
                    line(voice.space({"user": voice.actor.user or BEA}), one.id, self._text())
                    for one in self._rng.sample(self._expected, min(2, len(self._expected)))
                ),
            ],
        ]
        return {"lines": self._rng.choice(own), "dry_run": self._rng.random() < 0.2}

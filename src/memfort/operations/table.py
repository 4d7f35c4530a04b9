"""The table of operations: every verb is one row here and one module beside it.

A row gives a verb's name, its effect, and its names on each surface. The signature of `handle` in its module gives the
request and the answer; the module is loaded when the verb is first used. The command line, the typed
methods of the client, completion, docs and telemetry are views of this table; none of them knows a verb by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, get_type_hints

from msgspec import Struct

from memfort.model.people.access_key import KeyScope
from memfort.trail.exporters.activity import Activity


class Effect(StrEnum):
    """The effect of a verb."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"  # upkeep and the directory: called by the host program, not from an actor's standpoint


class StoreNeed(StrEnum):
    """Whether a command needs the store of the settings."""

    THERE = "there"  # it must exist
    IF_THERE = "if_there"  # without a store, an empty one is used
    NONE = "none"  # an empty one is used, and the configured one is not opened


class Cli(Struct, frozen=True):
    """How the command line names a verb, where it differs from the names of its fields."""

    arguments: tuple[str, ...] = ()  # fields that are given by position; a list or the last text takes all words
    flags: Mapping[str, str] = {}  # field -> option
    confirm: str = ""  # the question before it runs, with the result of a dry run
    makes_store: bool = False  # creates a missing store
    help: str = ""  # after the summary
    module: str = ""  # a hand-written command in `surfaces/cli/commands`, if no options can be derived
    many: str = ""  # the batch verb for the lines of `--file`
    shown_as: str = ""  # the name of a renderer, if not chosen by the answer's type
    absent: str = ""  # what is not found when the answer is `None`: `person`
    some_of: tuple[str, ...] = ()  # fields of which at least one is required
    resumes: bool = False  # an interrupted run can be continued; its progress is reported
    store: StoreNeed = StoreNeed.THERE
    leaves_out: Mapping[str, str] = {}  # fields that the command does not offer, and why
    as_asker: bool = False  # a verb of the host's that is answered for whoever asks, where somebody is named
    says: str = ""  # what was done to the memories that come back, in one word: `approved`
    strict: bool = False  # what was refused of many fails the command with `--strict` only
    private_field: str = ""  # a field of the answer that `--to FILE` writes into a file instead of printing it


class Http(Struct, frozen=True):
    """How HTTP offers a verb, where it differs from `POST /v1/<name>` with the fields of its request as JSON."""

    status: int = 200  # of an answer; 201 where something is made
    scope: KeyScope | None = None  # that a credential needs, if it does not follow from the effect
    within_sight: bool = False  # it reaches no more than the caller's sight, so a key for one space may use it
    cursor: str = ""  # the field that continues a listing, in the request and in the answer
    edits: str = ""  # the field with the id (or a list with one id) of the memory whose version `If-Match` names
    most: Mapping[str, int] = {}  # field -> the most entries, where it is not the number that holds for all fields
    characters: Mapping[str, int] = {}  # field -> the most characters of all its texts together
    leaves_out: Mapping[str, str] = {}  # fields that a request cannot have, and why
    as_system_with: frozenset[str] = frozenset()  # where all of these fields are given, an administrator is the system
    is_kept: bool = True  # whether its answer may be kept for a request that is sent again; not one with a secret


class NotOnHttp(Struct, frozen=True):
    """Why HTTP does not offer a verb."""

    reason: str


class Mcp(Struct, frozen=True):
    """How MCP offers a verb to a model. The fields of a tool are named here one by one, so that no tool gets a new
    field of a request by itself. Who asks, and which space is meant, is never one of them."""

    tools: Mapping[str, tuple[str, ...]] = {}  # name -> the fields of the request that it takes
    requires: tuple[str, ...] = ()  # fields that a tool has to be given, though the verb can do without
    choices: Mapping[str, tuple[str, ...]] = {}  # field -> the values that a tool may give, if not all
    defaults: Mapping[str, Any] = {}  # field -> its value where a tool names none
    most: Mapping[str, int] = {}  # field -> the largest number that a tool may give
    is_destructive: bool = False
    is_idempotent: bool = False
    resources: Mapping[str, str] = {}  # address, or template with fields of the request in it -> its name
    prompt: str = ""  # the name of the prompt that it fills
    prompt_takes: Mapping[str, str] = {}  # argument of the prompt -> field of the request


class NotOnMcp(Struct, frozen=True):
    """Why MCP does not offer a verb."""

    reason: str


class NotOnCli(Struct, frozen=True):
    """Why the command line does not offer a verb."""

    reason: str


# Why MCP does not offer the verbs of a package, unless a row says otherwise. There are at most nine tools, since a
# model reads each of them in every conversation.
NOT_TOOLS: Mapping[str, NotOnMcp] = {
    "write": NotOnMcp("Three verbs of writing are enough for a model: remember, correct and forget."),
    "read": NotOnMcp("A model finds memories with `recall` and reads one with `fetch`."),
    "people": NotOnMcp("People are kept in order by programs and by people, not in the middle of a conversation."),
    "ending": NotOnMcp("What cannot be undone, or reaches many memories at once, is for people to do."),
    "subject": NotOnMcp("A person's request reaches many memories at once; people answer it."),
    "review": NotOnMcp("A person reviews; a model that approves what it wrote would review itself."),
    "capture": NotOnMcp("The host gives conversations to `observe`, for example with `memfort hooks install`."),
    "extraction": NotOnMcp("People manage the queue."),
    "transfer": NotOnMcp("Whole exports and imports do not belong into a conversation."),
    "phase": NotOnMcp("Beginning a phase ends the earlier memories of a space; people decide that."),
    "directory": NotOnMcp("Who may see what is decided by people, never by a model."),
    "keys": NotOnMcp("A credential never passes through a model."),
    "policy": NotOnMcp("The policy is for administrators."),
    "trail": NotOnMcp("The trail is for people and auditors."),
    "upkeep": NotOnMcp("Upkeep is for administrators."),
}


_ACTIVITIES = {
    "search_memory": Activity.READ,
    "upsert_memory": Activity.CREATE,
    "update_memory": Activity.UPDATE,
    "delete_memory": Activity.DELETE,
}


class Operation(Struct, frozen=True, dict=True):
    """One verb."""

    name: str  # `remember`, or `review.list` for a verb of a group
    module: str  # below `memfort.operations`
    effect: Effect
    summary: str
    cli: Cli | NotOnCli = Cli()
    telemetry: str = ""  # its operation name in the gen_ai convention, if any
    traced: bool = True  # whether its events can be read back as the public trace of the call
    reports_progress: bool = False
    positional: tuple[str, ...] = ()  # fields that Python takes by position too, besides the command line's arguments
    writes_with: str = ""  # the field that makes a reading verb write
    action: str = ""  # its word in the trail, if not its name
    activity: Activity | None = None  # its activity in OCSF; the default follows from the gen_ai operation
    http: Http | NotOnHttp = Http()
    also_bound: bool = False  # a verb of the host's that an actor has too; its handler checks what the actor may do
    mcp: Mcp | NotOnMcp | None = None  # `None`: not at all, for the reason in `NOT_TOOLS`

    @property
    def on_mcp(self) -> Mcp | NotOnMcp:
        """How MCP offers it, or why not."""
        return self.mcp or NOT_TOOLS.get(self.package, NotOnMcp(""))

    @property
    def package(self) -> str:
        """The package of operations that it is in: the kind of work."""
        return self.module.partition(".")[0]

    @property
    def key_scope(self) -> KeyScope:
        """The scope that a credential needs for it. What an actor has too, an administrator may do for all."""
        if isinstance(self.http, Http) and self.http.scope is not None:
            return self.http.scope
        if self.effect is Effect.ADMIN and not self.also_bound:
            return KeyScope.ADMIN
        return KeyScope.READ if self.effect is Effect.READ else KeyScope.WRITE

    @property
    def path(self) -> str:
        """Its path over HTTP."""
        return "/v1/" + "/".join(self.command)

    @property
    def recorded_as(self) -> str:
        return self.action or self.name

    @property
    def ocsf_activity(self) -> Activity:
        return self.activity or _ACTIVITIES.get(self.telemetry, Activity.OTHER)

    @property
    def group(self) -> str:
        return self.name.rpartition(".")[0]

    @property
    def method(self) -> str:
        """Its name in Python. `import` is a keyword, so it has the only underscore."""
        word = self.name.rpartition(".")[2]
        return f"{word}_" if word == "import" else word

    @property
    def command(self) -> tuple[str, ...]:
        """Its words on the command line."""
        return tuple(word.replace("_", "-") for word in self.name.split("."))

    @cached_property
    def handler(self) -> Callable[..., Any]:
        handle: Callable[..., Any] = self._module.handle
        return handle

    @cached_property
    def touches(self) -> Callable[..., Any]:
        """`touches(session, request)` of its module: the spaces that its transaction changes. Every verb with a
        `Transaction` has it; one with a `Session` names the spaces of each of its transactions itself."""
        touches: Callable[..., Any] = self._module.touches
        return touches

    @property
    def _module(self) -> ModuleType:
        return import_module(f"memfort.operations.{self.module}")

    @cached_property
    def hints(self) -> Mapping[str, Any]:
        return get_type_hints(self.handler, include_extras=True)

    @property
    def scope(self) -> type:
        """The first parameter of the handler: `View`, `Transaction` or `Session`."""
        first: type = next(iter(self.hints.values()))
        return first

    @property
    def request(self) -> type[Struct]:
        made: type[Struct] = self.hints["request"]
        return made

    @property
    def result(self) -> Any:
        return self.hints["return"]


# What memories are named by where they end.
ENDING_FIELDS = ("ids", "query", "since", "until", "author", "source", "person", "scope")

ROWS: tuple[Operation, ...] = (
    # -- write --------------------------------------------------------------------------------------------------------
    Operation(
        "remember",
        "write.remember",
        Effect.WRITE,
        "Keep a statement, if policy admits it.",
        Cli(
            ("text",),
            flags={"ttl_seconds": "--ttl", "portable": "--portable/--stays-here", "is_correction": "--correction"},
            makes_store=True,
            many="remember_many",
            help="TEXT is the statement; `-` reads it from standard input. A denied statement has exit code 3; one "
            "that waits for review is kept, and the reason is shown.",
        ),
        telemetry="upsert_memory",
        http=Http(201, within_sight=True),
        mcp=Mcp(
            {"remember": ("text", "type", "origin", "importance", "tags", "occurred", "ttl_seconds")},
            choices={"origin": ("user", "ai")},
            defaults={"origin": "ai"},
            is_idempotent=True,
        ),
    ),
    Operation(
        "remember_many",
        "write.remember_many",
        Effect.WRITE,
        "Keep many statements in one commit, each decided on its own.",
        NotOnCli("`memfort remember --file` runs it, with one statement per line"),
        telemetry="upsert_memory",
        reports_progress=True,
        positional=("memories",),
        http=Http(within_sight=True, most={"memories": 500}, characters={"memories": 1_048_576}),
    ),
    Operation(
        "correct",
        "write.correct",
        Effect.WRITE,
        "Replace a wrong memory by a corrected one.",
        Cli(
            ("id", "text"),
            flags={"ttl_seconds": "--ttl", "portable": "--portable/--stays-here", "is_correction": "--correction"},
            help="The old one is superseded, linked and kept in the history. TEXT may be `-` for standard input.",
        ),
        telemetry="update_memory",
        http=Http(within_sight=True, edits="id"),
        mcp=Mcp(
            {"correct": ("id", "text", "origin")},
            choices={"origin": ("user", "ai")},
            defaults={"origin": "ai"},
        ),
    ),
    Operation(
        "restore",
        "write.restore",
        Effect.WRITE,
        "Bring back what a superseded memory said.",
        Cli(
            ("id",),
            help="It is a correction of what replaced it, and passes every gate; both stay in the history.",
        ),
        telemetry="update_memory",
        http=Http(edits="id"),
    ),
    Operation(
        "used",
        "write.used",
        Effect.WRITE,
        "Report that memories were useful.",
        Cli(
            ("ids",),
            shown_as="uses",
            help="They rank a little higher from then on, for everyone who recalls them. The weight `use` of the "
            "policy says how much.",
        ),
        telemetry="update_memory",
        action="use",
        http=Http(within_sight=True, edits="ids"),
    ),
    Operation(
        "promote",
        "write.promote",
        Effect.WRITE,
        "Move a memory into another space.",
        Cli(
            ("id",),
            help="A copy goes there if every gate admits it, and a tombstone stays here. The policy says which moves "
            "are allowed; if members have to agree first, the copy waits for their review and the memory stays until "
            "they have. Out of a space that is shared with you it is copied, if the share may be passed on; the copy "
            "ends with its source.",
        ),
        telemetry="update_memory",
        positional=("to",),
        http=Http(edits="id"),
    ),
    # -- read ---------------------------------------------------------------------------------------------------------
    Operation(
        "recall",
        "recall.recall",
        Effect.READ,
        "Find the memories that answer a query.",
        Cli(
            ("query",),
            help="The most specific level comes first, each level ranked. QUERY is plain words; `-` "
            "reads it from standard input. Finding nothing is not an error.",
        ),
        telemetry="search_memory",
        activity=Activity.QUERY,
        http=Http(within_sight=True),
        mcp=Mcp(
            {"recall": ("query", "limit", "types", "tags", "as_of"), "search": ("query",)},
            most={"limit": 50},
        ),
    ),
    Operation(
        "context",
        "recall.context",
        Effect.READ,
        "Recall for a prompt, within a budget of tokens.",
        Cli(
            ("query",),
            help="The best memories that fit are fenced, one per line, quoted: data, not instructions. What many "
            "have in common, a person or a day, is written above them once if that is shorter. Equal memories give "
            "equal bytes.",
        ),
        telemetry="search_memory",
        action="recall",
        activity=Activity.QUERY,
        http=Http(within_sight=True),
        mcp=Mcp(
            {"context": ("query", "budget_tokens")},
            most={"budget_tokens": 20_000},
            resources={"memfort://context": "briefing", "memfort://context/{query}": "context"},
            prompt="recall",
            prompt_takes={"topic": "query"},
        ),
    ),
    Operation(
        "get",
        "read.get",
        Effect.READ,
        "Show one memory.",
        Cli(("id",)),
        telemetry="search_memory",
        traced=False,
        http=Http(within_sight=True),
        mcp=Mcp({"fetch": ("id",)}, requires=("id",), resources={"memfort://memories/{id}": "memory"}),
    ),
    Operation(
        "list",
        "read.list",
        Effect.READ,
        "List memories, newest first.",
        Cli(flags={"statuses": "--status"}, help="Memories that are not in force are listed only where you may write."),
        telemetry="search_memory",
        traced=False,
        activity=Activity.LIST,
        http=Http(within_sight=True, cursor="cursor"),
        mcp=Mcp({"list_memories": ("limit", "cursor", "types", "tags")}, most={"limit": 100}),
    ),
    Operation(
        "about",
        "read.about",
        Effect.READ,
        "List memories about people.",
        Cli(
            ("persons",),
            help="PERSON is `me`, `@bob`, an id, a name, or words such as `my wife`. It lists memories in your sight, "
            "and of people who are present also memories of others that may be disclosed: stand in a chat with `--at "
            "chat=ID`, and who takes part in it is present.",
        ),
        telemetry="search_memory",
    ),
    Operation(
        "related",
        "read.related",
        Effect.READ,
        "List the memories that are linked with a memory.",
        Cli(("id",), help="They are linked by the people they are about; the nearest comes first."),
        telemetry="search_memory",
        traced=False,
    ),
    Operation(
        "edges",
        "read.edges",
        Effect.READ,
        "Show how a memory or a person is linked with others.",
        Cli(("id",)),
        traced=False,
        activity=Activity.READ,
    ),
    Operation(
        "history",
        "read.history",
        Effect.READ,
        "Show all versions of a memory, oldest first.",
        Cli(("id",), says="versions"),
        telemetry="search_memory",
        traced=False,
        http=Http(within_sight=True),
        mcp=Mcp(resources={"memfort://memories/{id}/history": "history"}),
    ),
    Operation(
        "explain",
        "explain.explain",
        Effect.READ,
        "Explain why a memory is or is not shown.",
        Cli(
            ("id",),
            help="ID is a memory's, or the trace of a recall of your own. With --query, it explains why the memory "
            "comes or does not come when that is recalled, with this limit, space and filter. You must be able to see "
            "the memory yourself; otherwise the answer is the same as for a memory that does not exist.",
        ),
        traced=False,
        activity=Activity.READ,
        http=Http(leaves_out={"viewer": "identity comes from the credential alone; ask as the other one"}),
        mcp=Mcp({"explain": ("id", "query")}),
    ),
    Operation(
        "compare",
        "explain.compare",
        Effect.READ,
        "Compare what several people would get of your memories in one room, and why.",
        Cli(
            ("query",),
            help="Name who asks with --viewer, and who is in the room with --listener: a chat that does not exist "
            "yet, or another set of people in --chat. It is read only, and in your trail.",
        ),
        traced=False,
        activity=Activity.QUERY,
        http=Http(within_sight=True),
        mcp=NotOnMcp("Who else hears what is for people to look at, and not for a model to reason about."),
    ),
    Operation(
        "check",
        "write.check",
        Effect.READ,
        "Say whether something would be allowed, without doing it.",
        Cli(
            ("verb",),
            module="check",  # its argument is a text for one verb and an id for the others
            flags={"ttl_seconds": "--ttl", "portable": "--portable/--stays-here"},
            help="WHAT is the text for `remember` (`-` for standard input), and a memory's id for get, history, used, "
            "forget, erase, correct, approve, reject and edit; recall, list and share are checked for --space. Exit "
            "code 0 if it would be allowed or would wait for review, 3 if it would be denied, 4 if there is no such "
            "memory.",
            leaves_out={
                "id": "WHAT is the id",
                "text": "WHAT is the text",
                "access": "a reader list does not change what would be denied",
                "is_correction": "a correction is checked by its own verb",
                "captured": "it is for programs that capture",
                "event_type": "the type of a statement decides it",
            },
        ),
        traced=False,
    ),
    Operation(
        "spaces",
        "read.spaces",
        Effect.READ,
        "Show the spaces in sight, in the order of recall.",
        Cli(module="spaces"),  # by hand, because it shows the standings too
        traced=False,
        http=Http(within_sight=True),
        mcp=Mcp(resources={"memfort://spaces": "spaces"}),
    ),
    Operation(
        "standings",
        "read.standings",
        Effect.READ,
        "Show your standing at each of your places, and why.",
        NotOnCli("`memfort spaces` shows them below the spaces."),
        traced=False,
        http=Http(within_sight=True),
    ),
    # -- people -------------------------------------------------------------------------------------------------------
    Operation(
        "people.add",
        "people.add",
        Effect.WRITE,
        "Add a person: known to you alone, in one space, or listed for everybody.",
        Cli(
            ("name",),
            makes_store=True,
            help="With --space, the readers of that space know them; with --listed, everybody does.",
        ),
        http=Http(201, as_system_with=frozenset({"listed", "user"})),
    ),
    Operation(
        "people.find",
        "people.find",
        Effect.READ,
        "Find the people that a name, an alias, `my wife` or `@bob` could mean.",
        Cli(("reference",), help="Your own connections come first."),
    ),
    Operation(
        "people.get",
        "people.get",
        Effect.READ,
        "Show one person.",
        Cli(("id",), absent="person", help="ID is `@bob` for the user bob, `per_…` for another person, or `me`."),
    ),
    Operation(
        "people.list",
        "people.list",
        Effect.READ,
        "List the people in sight who were added or mentioned, by id.",
    ),
    Operation(
        "people.relations",
        "people.relations.list",
        Effect.READ,
        "List the relations of a person, in both directions.",
        Cli(("id",)),
    ),
    Operation(
        "people.update",
        "people.update",
        Effect.WRITE,
        "Rename a person.",
        Cli(("id",), help="Allowed for the actor who added them, and for the person themselves."),
    ),
    Operation(
        "people.alias",
        "people.alias",
        Effect.WRITE,
        "Give a person more names.",
        Cli(("id", "aliases")),
    ),
    Operation(
        "people.merge",
        "people.merge",
        Effect.WRITE,
        "Merge two persons into one.",
        Cli(
            ("keep", "gone"),
            says="they are one",
            help="GONE stays as a redirect to KEEP. Your memories about the one are then about the other.",
        ),
    ),
    Operation(
        "people.link",
        "people.link",
        Effect.WRITE,
        "Say which user a person is.",
        Cli(
            ("id",),
            says="they are one",
            help="It applies to your own memories about them; only the system can say it for all.",
        ),
    ),
    Operation(
        "people.relate",
        "people.relations.relate",
        Effect.WRITE,
        "Add a relation between two people: `people relate me wife per_…`.",
        Cli(
            ("person", "term", "other"),
            help="It is known to you alone, unless --space or --listed is given. People who are known in one space are "
            "related there.",
        ),
        http=Http(201),
    ),
    Operation(
        "people.unrelate",
        "people.relations.unrelate",
        Effect.WRITE,
        "Remove a relation between two people.",
        Cli(("person", "term", "other"), says="removed"),
    ),
    Operation(
        "people.drop",
        "people.drop",
        Effect.WRITE,
        "Remove a person for good, with every name.",
        Cli(("id",), says="dropped", help="Memories keep the id, which then refers to no person."),
    ),
    Operation(
        "people.forget",
        "ending.forget_person",
        Effect.WRITE,
        "Forget memories about a person, or what they said.",
        Cli(
            ("person",),
            confirm="end {memories}?",
            help="It reaches your own spaces, where you may write, and the chats you take part in; the system reaches "
            "everything. Forgotten, a tombstone of each memory stays, and older files do not bring the words back.",
        ),
        telemetry="delete_memory",
        reports_progress=True,
    ),
    # -- ending -------------------------------------------------------------------------------------------------------
    Operation(
        "forget",
        "ending.forget",
        Effect.WRITE,
        "Take memories out of every read; a tombstone stays.",
        Cli(
            ("ids",),
            confirm="forget {memories}?",
            some_of=ENDING_FIELDS,
            help="Name memories by ID, or by what they have in common: words, a time, a writer, an import, a person, a "
            "scope. Memories derived from them go too, and sentences of conversations that say it are hidden. Older "
            "files do not bring the words back. To remove them from the files of the store, use `memfort erase`.",
        ),
        telemetry="delete_memory",
        http=Http(edits="ids"),
        mcp=Mcp({"forget": ("ids",)}, is_destructive=True, is_idempotent=True),
    ),
    Operation(
        "erase",
        "ending.erase",
        Effect.WRITE,
        "Remove memories physically, with a receipt.",
        Cli(
            ("ids",),
            confirm="erase {memories} for good?",
            some_of=ENDING_FIELDS,
            help="Older versions and everything derived go too, and sentences of conversations that say it. Name "
            "memories by ID, or by what they have in common: words, a time, a writer, an import, a person, a scope. A "
            "scope is given by its coordinates: the most specific level is the target, and every other one constrains "
            "it. An erasure that could not be finished has exit code 1, and its receipt says why.",
        ),
        telemetry="delete_memory",
        reports_progress=True,
        http=Http(edits="ids"),
    ),
    Operation(
        "undo",
        "ending.undo",
        Effect.WRITE,
        "Take back an import, one call, a time, or one writer's memories.",
        Cli(
            ("id",),
            confirm="take back {memories}?",
            some_of=("id", "trace", "source", "since", "until", "author"),
            help="Memories derived from them fall too, and what they had replaced comes back into force. All of it is "
            "one operation. ID is an undo to take back itself, which is possible until the memories are erased.",
        ),
        telemetry="delete_memory",
    ),
    Operation(
        "erasures",
        "ending.erasures",
        Effect.READ,
        "List erasures, and why unfinished ones wait.",
        Cli(help="You see the ones you asked for; the system actor sees all of them."),
    ),
    Operation(
        "finish_erasures",
        "ending.finish_erasures",
        Effect.ADMIN,
        "Finish erasures that had to wait.",
        Cli(help="Opening the store tries it too. Exit code 1 if one still has to wait."),
        traced=False,
    ),
    Operation(
        "verify_erasure",
        "ending.verify_erasure",
        Effect.READ,
        "Search for anything an erasure left behind.",
        Cli(("receipt",), help="RECEIPT is the id that `memfort erase` gave. Exit code 1 if something is left."),
    ),
    # -- a person's request ------------------------------------------------------------------------------------------
    Operation(
        "subject.export",
        "subject.export",
        Effect.READ,
        "Copy everything by and about a person that you may see.",
        Cli(("person",), module="subject"),  # by hand, because it writes two files
        telemetry="search_memory",
        traced=False,
    ),
    Operation(
        "subject.erase",
        "subject.erase",
        Effect.WRITE,
        "Erase everything by and about a person that you may end, with a receipt.",
        Cli(
            ("person",),
            confirm="erase {memories} for good?",
            help="What they wrote and said, what is known about them, and their own spaces; as the system actor "
            "everywhere. Give them a copy first: `memfort subject export`.",
        ),
        telemetry="delete_memory",
        reports_progress=True,
    ),
    # -- extraction ---------------------------------------------------------------------------------------------------
    Operation(
        "extraction.list",
        "extraction.list",
        Effect.READ,
        "List turns that wait for the extractor, or were given up.",
        Cli(help="Only yours, where you may write. They are listed by id, without a word of them."),
        telemetry="search_memory",
        activity=Activity.LIST,
    ),
    Operation(
        "extraction.retry",
        "extraction.retry",
        Effect.WRITE,
        "Let turns wait for the extractor again.",
        Cli(("ids",), help="Without ids, all of yours that were given up."),
        telemetry="update_memory",
    ),
    Operation(
        "extraction.drop",
        "extraction.drop",
        Effect.WRITE,
        "Take turns out of the queue for the extractor.",
        Cli(("ids",), help="They stay as they are. Without ids, all of yours that were given up."),
        telemetry="update_memory",
    ),
    # -- review -------------------------------------------------------------------------------------------------------
    Operation(
        "review.list",
        "review.list",
        Effect.READ,
        "List memories that wait for review, with the reason and what would change.",
        Cli(help="Only where you may write."),
        telemetry="search_memory",
        activity=Activity.LIST,
        http=Http(scope=KeyScope.REVIEW),
        mcp=Mcp(prompt="review"),
    ),
    Operation(
        "review.approve",
        "review.approve",
        Effect.WRITE,
        "Approve pending memories: all of them, or none.",
        Cli(("ids",), says="approved"),
        telemetry="update_memory",
        action="approve",
        http=Http(scope=KeyScope.REVIEW, edits="ids"),
    ),
    Operation(
        "review.reject",
        "review.reject",
        Effect.WRITE,
        "Reject memories that are pending or in force. The same value is not learned again.",
        Cli(
            ("ids",),
            says="rejected",
            help="A memory in force ends, with everything derived from it. The value does not come back in any "
            "disguise; only an actor of at least your authority, or a person who says it again, can restate it.",
        ),
        telemetry="update_memory",
        action="reject",
        http=Http(scope=KeyScope.REVIEW, edits="ids"),
    ),
    Operation(
        "review.edit",
        "review.edit",
        Effect.WRITE,
        "Change a pending memory's text and approve it; every gate runs again.",
        Cli(("id", "text"), help="TEXT may be `-` for standard input."),
        telemetry="update_memory",
        action="edit",
        http=Http(scope=KeyScope.REVIEW, edits="id"),
    ),
    # -- capture ------------------------------------------------------------------------------------------------------
    Operation(
        "observe",
        "capture.observe",
        Effect.WRITE,
        "Record messages of a conversation, and keep the statements in them.",
        Cli(module="observe", leaves_out={"messages": "they are in FILE"}),  # in two forms
        telemetry="upsert_memory",
        reports_progress=True,
        positional=("messages",),
        http=Http(201, most={"messages": 500}, characters={"messages": 262_144}),
    ),
    Operation(
        "window",
        "capture.window",
        Effect.READ,
        "Show the recent turns of a conversation.",
        Cli(shown_as="turns", help="Oldest first, after the summary of those before them."),
        telemetry="search_memory",
        positional=("space",),
        http=Http(within_sight=True),
    ),
    # -- transfer -----------------------------------------------------------------------------------------------------
    Operation(
        "export",
        "transfer.export",
        Effect.READ,
        "Export everything you own as JSON lines.",
        Cli(module="transfer"),  # it writes line by line, to a file or to stdout
        activity=Activity.READ,
    ),
    Operation(
        "import",
        "transfer.import_",
        Effect.WRITE,
        "Import an export, an archive or notes; every record passes every gate.",
        Cli(
            ("data",),
            makes_store=True,
            leaves_out={"path": "It is the argument."},
            help="PATH is a file, a folder or a zip: an export of Memfort, ChatGPT, Claude or Gemini, or another known "
            "format; `-` is standard input. The same bytes again are a no-op. With --strict the exit code is 3 if a "
            "record was denied, and 2 if one could not be used.",
            strict=True,
        ),
        telemetry="upsert_memory",
        reports_progress=True,
        activity=Activity.WRITE,
        http=Http(
            leaves_out={
                "also_at": "A server goes by the members in its directory, not by a caller's word.",
                "path": "A server reads no file that a caller names; send the bytes as `data`.",
            }
        ),
    ),
    Operation("sources", "transfer.sources", Effect.READ, "List imports."),
    # -- phase --------------------------------------------------------------------------------------------------------
    Operation(
        "phase.start",
        "phase.start",
        Effect.WRITE,
        "Begin a new phase of a space. Earlier memories are history from now on.",
        Cli(("reason",)),
        action="start_phase",
        http=Http(201),
    ),
    Operation(
        "phase.list",
        "phase.list",
        Effect.READ,
        "List the phases of a space, the oldest first.",
        positional=("space",),
    ),
    Operation(
        "phase.diff",
        "phase.diff",
        Effect.READ,
        "Show what changed from the end of one phase to the end of a later one, or until now.",
        Cli(("earlier", "later"), help="EARLIER and LATER are ids such as `phase-1`."),
        telemetry="search_memory",
        action="diff_phases",
    ),
    # -- directory ----------------------------------------------------------------------------------------------------
    Operation(
        "share",
        "directory.share",
        Effect.WRITE,
        "Let a user, an agent or the members of a group read a space.",
        Cli(
            flags={"user": "--with-user", "agent": "--with-agent", "group": "--to"},
            help="Exactly that space, and until it is revoked; the default is your own. Who is a member of a group is "
            "looked up at each read. The space of a group is shared by its owners, and a space that is shared with you "
            "only if the share says --may-pass-on.",
        ),
        http=Http(201),
    ),
    Operation("shares", "directory.shares", Effect.READ, "List the shares of your spaces."),
    Operation(
        "share_changes",
        "directory.share_changes",
        Effect.READ,
        "List what was withdrawn from the spaces that are shared with you.",
        Cli(help="Of each memory its id and the time. The memory itself is gone for you, as if it had never been."),
    ),
    Operation(
        "revoke",
        "directory.revoke",
        Effect.WRITE,
        "End a share.",
        Cli(
            ("id",),
            says="revoked",
            help="The next read no longer sees through it, nor through those by which it was passed on. ID is the "
            "share's.",
        ),
    ),
    Operation(
        "agent.register",
        "directory.agent_register",
        Effect.ADMIN,
        "Register an agent with its one owner. An agent that has an owner keeps it.",
        Cli(
            ("id",),
            makes_store=True,
            as_asker=True,
            help="With --as, that user has to be the owner.",
        ),
        traced=False,
        also_bound=True,
        http=Http(201),
    ),
    Operation(
        "agent.get",
        "directory.agent_get",
        Effect.ADMIN,
        "Show the owner of an agent.",
        Cli(("id",), absent="agent"),
        traced=False,
    ),
    Operation(
        "chat.register",
        "directory.chat_register",
        Effect.ADMIN,
        "Register a chat with its participants.",
        Cli(("id",), makes_store=True, help="Registering it again replaces its participants."),
        traced=False,
        http=Http(201),
    ),
    Operation(
        "chat.get",
        "directory.chat_get",
        Effect.ADMIN,
        "Show the participants of a chat.",
        Cli(("id",), absent="chat"),
        traced=False,
    ),
    Operation(
        "member.add",
        "directory.member_add",
        Effect.ADMIN,
        "Make a user or an agent a member of a group, or change its trust.",
        Cli(
            ("group",),
            makes_store=True,
            as_asker=True,
            help="A viewer reads; a contributor writes, and ends their own memories; an approver reviews, and ends "
            "others'; an owner adds and removes members. With --as, that actor has to be an owner of the group. GROUP "
            "is written `level=id`, for example `project=apollo`.",
        ),
        traced=False,
        also_bound=True,
    ),
    Operation(
        "member.remove",
        "directory.member_remove",
        Effect.ADMIN,
        "End a membership. The group stays registered, even when no member is left in it.",
        Cli(
            ("group",),
            as_asker=True,
            help="With --as, that actor has to be an owner of the group. GROUP is written `level=id`, for example "
            "`project=apollo`.",
        ),
        traced=False,
        also_bound=True,
    ),
    Operation(
        "member.list",
        "directory.member_list",
        Effect.ADMIN,
        "List the members of a group.",
        Cli(
            ("group",),
            as_asker=True,
            help="With --as, only to a member. GROUP is written `level=id`, for example `project=apollo`.",
        ),
        traced=False,
        also_bound=True,
        http=Http(scope=KeyScope.READ),
    ),
    # -- keys ---------------------------------------------------------------------------------------------------------
    Operation(
        "keys.create",
        "keys.create",
        Effect.ADMIN,
        "Make an API key for a user or an agent, and show it once.",
        Cli(
            flags={"scopes": "--scope"},
            makes_store=True,
            help="The store keeps a digest of it, never the key. Whoever has the key is that user or agent, as far as "
            "its scopes go; with --scope act_for it may also act for others.",
            private_field="token",
        ),
        traced=False,
        http=Http(201, is_kept=False),
    ),
    Operation(
        "keys.list",
        "keys.list",
        Effect.ADMIN,
        "List API keys: whose they are, their scopes, expiry and last use.",
        traced=False,
    ),
    Operation(
        "keys.rotate",
        "keys.rotate",
        Effect.ADMIN,
        "Replace an API key by a new one with the same rights.",
        Cli(
            ("id",),
            flags={"overlap_seconds": "--overlap"},
            help="The old one ends at once, or after --overlap.",
            private_field="token",
        ),
        traced=False,
        http=Http(201, is_kept=False),
    ),
    Operation(
        "keys.revoke",
        "keys.revoke",
        Effect.ADMIN,
        "End an API key.",
        Cli(("id",), says="revoked"),
        traced=False,
    ),
    # -- policy -------------------------------------------------------------------------------------------------------
    Operation(
        "policy.show",
        "policy.show",
        Effect.ADMIN,
        "Show the policy in force, with its digest: the name that every decision carries.",
        Cli(
            store=StoreNeed.IF_THERE,
            help="The output is a policy file. With --json it also says where the policy comes from: a flag, the "
            "environment, a file, the store, or the default.",
        ),
        traced=False,
        mcp=Mcp(resources={"memfort://policy": "policy"}),
    ),
    Operation(
        "policy.check",
        "policy.check",
        Effect.ADMIN,
        "Check a policy file; an error names the line, the key and a remedy.",
        Cli(("file",), store=StoreNeed.NONE),
        traced=False,
        http=NotOnHttp("It reads a file where it runs; `policy.use` with `dry_run` checks a policy that is sent."),
    ),
    Operation(
        "policy.diff",
        "policy.diff",
        Effect.ADMIN,
        "Show the differences between two policies, key by key.",
        Cli(
            ("before", "after"),
            store=StoreNeed.NONE,
            help="BEFORE and AFTER are files, names of presets, or `current` for the policy in force.",
        ),
        traced=False,
    ),
    Operation(
        "policy.presets",
        "policy.presets",
        Effect.ADMIN,
        "List the policies that come with Memfort.",
        Cli(store=StoreNeed.NONE),
        traced=False,
    ),
    Operation(
        "policy.simulate",
        "policy.simulate",
        Effect.READ,
        "Show which decisions would change, before a policy is put to use.",
        Cli(
            ("policy",),
            help="POLICY is a file or a preset's name. All your memories are decided again under it, in the order of "
            "writing, and each change is shown: was, and would be. As the system actor: the memories of all users, by "
            "ids and levels only. Nothing is changed or recorded.",
        ),
        traced=False,
        reports_progress=True,
    ),
    Operation(
        "policy.use",
        "policy.use",
        Effect.ADMIN,
        "Put a policy to use in the store, for everyone who opens it from now on.",
        Cli(("policy",), module="policy"),  # it opens the store with the new policy: the one in use may be unreadable
        traced=False,
        reports_progress=True,
    ),
    # -- trail --------------------------------------------------------------------------------------------------------
    Operation(
        "trail.export",
        "trail.export",
        Effect.READ,
        "Export the trail as JSON lines: your own calls; for the system actor, all of it.",
        Cli(module="trail"),  # by hand, because it streams to a file or to stdout
        traced=False,
    ),
    Operation(
        "trail.list",
        "trail.list",
        Effect.READ,
        "List events of the trail, the latest first: your own; for the system actor, everybody's.",
        Cli(help="They have ids, counts and reasons, and never what a memory says."),
        traced=False,
        http=Http(cursor="cursor"),
    ),
    Operation(
        "trail.verify",
        "trail.verify",
        Effect.ADMIN,
        "Check the whole trail, and that the store agrees with it.",
        Cli(
            help="Names the first broken link of each chain. With --anchors, checks also that nothing they cover was "
            "rewritten or cut off."
        ),
        traced=False,
        http=Http(most={"anchors": 200_000}),
    ),
    Operation(
        "trail.checkpoint",
        "trail.checkpoint",
        Effect.ADMIN,
        "Sign every chain of the trail that has grown.",
        Cli(
            help="Events before a signature cannot be rewritten unnoticed. Keep the answer of --json in another "
            "place, and give it to `trail verify --anchors` later."
        ),
        traced=False,
    ),
    Operation(
        "trace.show",
        "trail.show_trace",
        Effect.READ,
        "Show what one of your calls did, event by event.",
        Cli(("id",), module="trace"),  # hand-written, because it has two print formats
        traced=False,
    ),
    Operation(
        "trace.list",
        "trail.list_traces",
        Effect.READ,
        "List your own calls, the latest first: trace, time, and what was done.",
        traced=False,
    ),
    # -- upkeep -------------------------------------------------------------------------------------------------------
    # Not traced: what happens in one space must not be numbered by what happens in another in the same call.
    Operation(
        "store.info",
        "upkeep.info",
        Effect.ADMIN,
        "Show facts about the store.",
        Cli(as_asker=True, help="With --as, it counts what that actor may see; without, or as system, everything."),
        traced=False,
    ),
    Operation(
        "store.gc",
        "upkeep.gc",
        Effect.ADMIN,
        "Retire expired memories, and those over their author's limit.",
        Cli(module="upkeep"),  # it may run until it is stopped, and asks only before it removes tombstones
        traced=False,
        reports_progress=True,
    ),
    Operation(
        "store.reindex",
        "upkeep.reindex",
        Effect.ADMIN,
        "Rebuild the text index, with the vectors of the embedder in use.",
        traced=False,
        reports_progress=True,
    ),
    Operation(
        "store.reembed",
        "upkeep.reembed",
        Effect.ADMIN,
        "Give every memory a vector of the embedder in use.",
        Cli(
            resumes=True,
            help="Needed after the embedder was changed or unavailable. It works in small steps, between which "
            "others can write; after an interruption the next run continues. Until then memories are found by "
            "their words.",
        ),
        traced=False,
        reports_progress=True,
    ),
    Operation(
        "store.reembed_status",
        "upkeep.reembed_status",
        Effect.ADMIN,
        "Show the progress of embedding in the background.",
        NotOnCli("Only a long-running program embeds in the background; `store info` counts the rest."),
        traced=False,
    ),
    Operation(
        "store.judge",
        "upkeep.judge",
        Effect.ADMIN,
        "Judge the sensitivity of memories that wait for it.",
        Cli(
            resumes=True,
            help="The encoder judges statements whose words settle nothing: it releases those that are harmless, and "
            "raises those that are graver than was assumed. It works in small steps, between which others can write; "
            "after an interruption the next run continues.",
        ),
        traced=False,
        reports_progress=True,
    ),
    Operation(
        "store.judge_status",
        "upkeep.judge_status",
        Effect.ADMIN,
        "Show the progress of judging sensitivity in the background.",
        NotOnCli("Only a long-running program judges in the background; `store info` counts the rest."),
        traced=False,
    ),
    Operation(
        "store.relearn",
        "upkeep.relearn",
        Effect.ADMIN,
        "Make statements and judgements of older rules again.",
        Cli(
            resumes=True,
            help="Statements are made again from their turns, and sensitivity, subjects and portability judged again, "
            "by the rules of this version. What people corrected, ended or labelled stays, and what a model judged. "
            "Preview it with --dry-run; `undo --trace` takes it back. After an interruption the next run continues.",
        ),
        traced=False,
        reports_progress=True,
    ),
    Operation(
        "store.extract",
        "upkeep.extract",
        Effect.ADMIN,
        "Let the extractor read the turns that wait for it.",
        NotOnCli("`memfort worker` runs it, again and again or once"),
        traced=False,
        reports_progress=True,
        http=NotOnHttp("It asks a model, which takes long: `memfort worker` runs beside the server."),
    ),
    Operation(
        "doctor",
        "upkeep.doctor",
        Effect.WRITE,
        "Check the store, and repair what can be repaired.",
        Cli(  # hand-written, because it also checks a store that cannot be opened, files and settings
            module="doctor", leaves_out={"checks": "The command runs all of them."}
        ),
        writes_with="fix",
        reports_progress=True,
    ),
    Operation(
        "store.backup",
        "upkeep.backup",
        Effect.ADMIN,
        "Write a checked backup of the store into one file, while others write.",
        Cli(
            ("path",),
            help="PATH must not exist. It holds everything but the key, so keep the key file too, apart from it, and "
            "copy `memory.db.erased`, the list of erased memories, as often as you can: `memfort store restore` needs "
            "both.",
        ),
        traced=False,
        reports_progress=True,
        action="backup",
        activity=Activity.READ,
        http=NotOnHttp("It writes a file where it runs; run `memfort store backup` beside the server."),
    ),
    Operation(
        "store.quarantine",
        "upkeep.quarantine",
        Effect.ADMIN,
        "Take damaged memories out of the index, and name them.",
        NotOnCli("`doctor --fix` does it, after it has shown what is damaged and asked."),
        traced=False,
    ),
)
TABLE: Mapping[str, Operation] = {row.name: row for row in ROWS}

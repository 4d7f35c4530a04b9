"""Everything that could change a memory and is no attempt of `attempts.py`, each with the reason: what it does instead,
or which attempt it is a form of. A new verb, command, route, tool, method, format or surface has to be in one of the
lists; a reason that is not needed any more fails too."""

from __future__ import annotations

ENDS = "it ends memories; the words in it select them, and are kept nowhere"
PEOPLE = "it changes people, not memories; names pass the gates of `operations/people/edits.py`"
DIRECTORY = "it changes who may stand where, and takes ids only; `request_secrets` reads them"
KEYS = "it changes credentials, not memories"
UPKEEP = "it changes how memories are stored or found, not what they say"
READS = "it only reads"

# Verbs of the table that write or are for administrators.
VERBS = {
    "used": "it counts that memories were of use, and takes ids only",
    "people.add": PEOPLE,
    "people.update": PEOPLE,
    "people.alias": PEOPLE,
    "people.merge": PEOPLE,
    "people.link": PEOPLE,
    "people.relate": PEOPLE,
    "people.unrelate": PEOPLE,
    "people.drop": PEOPLE,
    "people.forget": ENDS,
    "forget": ENDS,
    "erase": ENDS,
    "finish_erasures": ENDS,
    "subject.erase": ENDS,
    "review.reject": ENDS,
    "extraction.retry": "it puts turns into a queue, and takes ids only",
    "extraction.drop": "it takes turns out of a queue, and takes ids only",
    "store.extract": "by hand: test_worker.py",
    "phase.start": "it makes the memories of a space history; its reason is a note that `request_secrets` reads",
    "share": "it lets others read what is in force already",
    "revoke": "it ends a share",
    "agent.register": DIRECTORY,
    "agent.get": READS,
    "chat.register": DIRECTORY,
    "chat.get": READS,
    "member.add": DIRECTORY,
    "member.remove": DIRECTORY,
    "member.list": READS,
    "keys.create": KEYS,
    "keys.list": READS,
    "keys.rotate": KEYS,
    "keys.revoke": KEYS,
    "policy.show": READS,
    "policy.check": READS,
    "policy.diff": READS,
    "policy.presets": READS,
    "policy.use": "it changes the policy, and decides on no memory",
    "trail.verify": READS,
    "trail.checkpoint": "it signs the trail",
    "store.info": READS,
    "store.gc": ENDS,
    "store.reindex": UPKEEP,
    "store.reembed": UPKEEP,
    "store.reembed_status": READS,
    "store.judge": "it judges how private memories are, and changes no word",
    "store.judge_status": READS,
    "store.relearn": "it makes statements again from turns that passed the gates, and each passes them again",
    "store.backup": "it copies the store as it is into a file",
    "store.quarantine": READS,
    "doctor": "it repairs links between memories that exist, and changes no word",
}

# Commands that are no verb of the table.
COMMANDS = {
    "policy test": "it works on a store of its own, in memory",
    "store create": "it makes an empty store in a database",
    "store upgrade": "it changes the tables of a database, and no word",
    "store check": "it looks at a database",
    "store restore": "it makes a store from a backup, with the policy that was in use there, and erases again",
    "store copy": "it copies a store as it is, and compares every row",
    "serve": "its routes are listed below",
    "studio": "its pages ask the verbs, as HTTP does",
    "mcp": "its tools are listed below",
    "mcp install": "it writes the settings of another program",
    "hooks install": "it writes the settings of another program",
    "hermes install": "it writes the settings of another program",
    "openclaw install": "it writes the settings of another program",
    "hooks session-start": READS,
    "hooks session-end": "by hand: test_hooks_and_routes.py",
    "worker": "it runs store.extract; by hand: test_worker.py",
    "config path": READS,
    "config show": READS,
    "completion": "it prints a script",
    "demo": "it works on a temporary store of its own",
    "eval": "it works on a temporary store of its own",
}

# Routes of the server that are no verb of the table.
ROUTES = {
    "/memories": "by hand: test_hooks_and_routes.py, as /v1/memories",
    "/memories/search": READS,
    "/memories/{id}": "it shows a memory, or forgets it",
    "/v1/memories": "by hand: test_hooks_and_routes.py",
    "/v1/memories/search": READS,
    "/v1/memories/{id}": "it shows a memory, or forgets it",
    "/openapi.json": READS,
    "/docs": READS,
    "/livez": READS,
    "/readyz": READS,
    "/metrics": READS,
    "/mcp": "its tools are listed below",
    "/.well-known/agent-card.json": READS,
    "/.well-known/agent-card-keys.json": READS,
    "/a2a-server/rpc": "other people's agents only read, and only what is public",
    "/a2a-server/rest/{rest:path}": "other people's agents only read, and only what is public",
    "/a2a/{agent:path}/.well-known/agent-card.json": READS,
    "/a2a/{agent:path}/rpc": "other people's agents only read, and only what is public",
    "/a2a/{agent:path}/rest/{rest:path}": "other people's agents only read, and only what is public",
    "/a2a/{agent:path}/": READS,
}

# Tools of MCP that change something, and are no attempt.
TOOLS = {"forget": ENDS}

# Public methods of the clients that no row of the table stands for.
METHODS = {
    "as_user": "it names who asks",
    "as_agent": "it names who asks; a new agent is registered",
    "as_system": "it names who asks",
    "as_holder": "it names who asks",
    "through": "it names the credential that a call came with",
    "within": "it narrows what the caller sees",
    "open": "it opens a store",
    "close": "it closes a store",
    "restore": "it makes a store from a backup; `restore` of an actor is a verb",
    "extract_due": "by hand: test_worker.py",
    "run": "it runs a verb of the table",
    "default_visibility": READS,
}

# Modules of `capture/importers`: the platform whose records they read, one of `FILES`; or what they do instead.
READERS = {
    "chatgpt": "chatgpt",
    "claude": "claude",
    "gemini": "gemini",
    "langgraph": "langgraph",
    "letta": "letta",
    "mcp_memory": "mcp_memory",
    "mem0": "mem0",
    "notes": "notes",
    "openai_messages": "messages",
    "plain_texts": "plain",
    "research_rows": "research",
    "scoped_nodes": "scoped",
    "transcript": "transcript",
}
NOT_READERS = {
    "__init__": "it says what the package is",
    "archive": "it opens files for the readers",
    "formats": "it finds the reader",
    "json_stream": "it reads JSON for the readers",
    "shapes": "it finds the reader",
    "record": "what readers give",
}

# Packages of surfaces.
PACKAGES = {
    "cli": "its commands are listed above",
    "http": "its routes are listed above",
    "studio": "its pages ask the verbs, as HTTP does",
    "mcp": "its tools are listed above",
    "a2a": "its routes are listed above",
    "mem0": "its routes run observe, remember, correct and forget; by hand: integrations/env_a/test_mem0_clients.py",
    "assertions": "it works on a store of its own, in memory",
}

# Modules of operations that can give a stored memory another status, or take its tombstone away, and what decides then.
MODULES = {
    "admit/new_item.py": "the chain has admitted the statement",
    "admit/write.py": "a statement for the chain",
    "ending/undo.py": "admit/come_back.py decides",
    "upkeep/relearn_statements.py": "admit/come_back.py decides",
    "review/approve.py": "admit/come_back.py decides",
    "review/edit.py": "a statement for the chain",
    "transfer/import_memories.py": "the chain has just let it wait, and our own signature proves a person's review",
    "write/promote.py": "a statement for the chain",
}

"""Remedies in the words of the command line. The core says them as calls of Python; here they become commands."""

from __future__ import annotations

import re

COMMANDS = {
    r"doctor\(fix=True, also=\[\"(\w+)\"\]\)": r"memfort doctor --fix --also \1",
    r"doctor\(fix=True\)": "memfort doctor --fix",
    r"\bdoctor\(\)": "memfort doctor",
    r"or let the doctor make a new one and rebuild the index": "or run `memfort doctor --new-key` to make one and "
    "rebuild the index",
    r"people\.add\(name\)": "memfort people add",
    r"policy\.use\(policy\)": "memfort policy use POLICY",
    r"trail\.verify\(\)": "memfort trail verify",
    r"trail\.checkpoint\(\)` gave": "memfort trail checkpoint --json` wrote",
    r"finish_erasures\(\)": "memfort finish-erasures",
    r"store\.reindex\(\)": "memfort store reindex",
    r"store\.reembed\(\)": "memfort store reembed",
    r"store\.judge\(\)": "memfort store judge",
    r"extraction\.list\(\)": "memfort extraction list",
    r"extraction\.retry\(\)": "memfort extraction retry",
    r"extraction\.drop\(\)": "memfort extraction drop",
    r"store\.extract\(\)": "memfort worker --once",
    r"review\.approve\(\"(\w+)\"\)": r"memfort review approve \1",
    r"history\(\"(\w+)\"\)": r"memfort history \1",
}
_ANY = re.compile("|".join(f"(?:{call})" for call in COMMANDS))


def in_commands(text: str) -> str:
    """The text with the commands that do what its calls do."""
    return _ANY.sub(_command, text)


def _command(found: re.Match[str]) -> str:
    call, command = next((call, command) for call, command in COMMANDS.items() if re.fullmatch(call, found[0]))
    return re.sub(call, command, found[0])

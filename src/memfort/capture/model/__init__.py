"""Learning with a language model: what it is asked, and what of its reply is believed. Pure functions: nothing here
sends a request, looks a memory up or decides what is kept. A reply is a stranger's text until `check.py` has compared
it with what was said."""

from memfort.capture.model.check import Checked, Refused, RefusedReason, check_reply
from memfort.capture.model.prompt import PROMPT_VERSION, Sent, SentMemory, SentTurn, messages_of
from memfort.capture.model.reply import BadReply, read_statements
from memfort.capture.model.schema import ModelAction, Statement, reply_schema

__all__ = [
    "PROMPT_VERSION",
    "BadReply",
    "Checked",
    "ModelAction",
    "Refused",
    "RefusedReason",
    "Sent",
    "SentMemory",
    "SentTurn",
    "Statement",
    "check_reply",
    "messages_of",
    "read_statements",
    "reply_schema",
]

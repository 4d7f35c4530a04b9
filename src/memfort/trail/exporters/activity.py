"""The activities that OCSF defines for data."""

from __future__ import annotations

from enum import IntEnum


class Activity(IntEnum):
    """An activity of the class Datastore Activity. Connect, Encrypt and Decrypt do not occur here."""

    READ = 1
    UPDATE = 2
    QUERY = 4
    WRITE = 5
    CREATE = 6
    DELETE = 7
    LIST = 8
    OTHER = 99

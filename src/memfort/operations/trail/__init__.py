"""Verbs on the trail: verify, sign, export, and show the public trace of a call. They read the trail; the format and
the hashes of events are in `memfort.trail`, and text of memories never comes in beyond the caller's sight."""

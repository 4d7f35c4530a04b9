"""The public trace: the events of one call, as plain data for its caller. Nothing here looks anything up, so nothing
beyond the caller's sight comes in."""

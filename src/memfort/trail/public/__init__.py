"""The public trace: the events of one call, as plain data for whoever made it."""

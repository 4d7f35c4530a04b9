"""Relations between people: relate, unrelate, list. Finding and changing the people themselves never comes in."""

"""Relations between people: relate, unrelate, list. Finding and changing the people themselves is not done here."""

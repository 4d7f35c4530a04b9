"""A person's request: everything by and about one person that the caller may act on, copied and erased. What is found
is decided by sights as everywhere; no second way to memories comes in here."""

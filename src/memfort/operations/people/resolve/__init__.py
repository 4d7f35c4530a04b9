"""Which person a name means: in a query, in a statement, or by id through merges. It reads people and may record a
person that a statement mentions for the first time. No verb lives here, and names outside the caller's sight never
come in.
"""

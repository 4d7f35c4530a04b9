"""HTTP: the verbs for programs. Parse, authenticate, answer: a loop over the table of operations, without decisions.

Identity comes from the credential alone. No header on its own, query, body, cookie or path says who asks.
"""

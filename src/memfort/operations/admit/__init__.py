"""The chain that every statement passes before it is kept: enrich, decide, make room, write.

`remember`, `correct`, `review.edit`, `promote`, `observe` and an import each describe a `Placement` and call `write`.
No verb lives here, and nothing here knows which verb asked.
"""

"""The values that the four protocols of a store speak in: changes, index entries, filters, questions, records,
scopes.

`columns` is the index as a ranker reads it; it needs arrays, so only rankers and stores import it. No SQL, no files
and no decisions come in here.
"""

"""What every SQL engine shares: how memories, their index, the trail and the directory lie in tables.

An engine brings a connection (`connection.py` says what that has to do), its own `queries.sql` with the statements that
are named here, and its locks, files and migrations. No engine's library comes in here, and no SQL: statements stand in
the `queries.sql` of each engine.
"""

"""What `policy simulate` works with: the recorded history, a replay of it under another policy, and a store for the
replay.

A replay runs recorded actions through the operations themselves. It never writes to the store whose history it
replays.
"""

"""The index in tables and in memory: entries, which partitions a sight opens, and the copies that recalls read."""

"""How often a new statement takes the place of one that still holds, and how often it misses one that does not."""

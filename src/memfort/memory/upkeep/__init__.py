"""Upkeep: collecting what has ended, finding and mending what is wrong, a new key. Shows nobody any contents."""

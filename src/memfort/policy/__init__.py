"""What decides. Pure functions over values: no input or output, no clock, no randomness.

Nothing here may know a store. Every answer carries its reason.
"""

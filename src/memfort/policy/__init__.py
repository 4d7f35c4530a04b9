"""The rules that decide: pure functions over values. Input, output, clocks, randomness and stores never come in.

Every answer carries its reason.
"""

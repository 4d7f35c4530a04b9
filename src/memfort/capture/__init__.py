"""Extract candidates from conversations and files into plain values: turns, statements, summaries, imported records.
Pure functions: executing, fetching, writing and deciding what is kept never come in.
"""

"""What a conversation or a file leaves to be remembered, read into plain values: turns, drafts, summaries, imports.
Pure: nothing is executed, fetched or written, and nothing here decides what is kept.
"""

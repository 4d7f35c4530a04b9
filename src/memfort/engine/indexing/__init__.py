"""How a memory gets into the index: the analysis of its text, its vector, and the memories that still lack one.

It prepares index entries and calls the embedder. Ranking and verbs never come in.
"""

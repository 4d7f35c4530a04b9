"""What the doctor checks and repairs: memories, people, the index, the policy and the store's own structures.

Findings never show contents, and repairs that were not asked for never come in.
"""

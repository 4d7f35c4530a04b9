"""Stores: the port that each of them implements, and the implementations. A store applies changes and answers reads
for a sight. No decision about who may see or write comes in here.
"""

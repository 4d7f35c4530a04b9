"""How values become bytes and come back: canonical JSON, stored records, the field table of a memory, checked
decoding.

Files, stores and decisions never come in.
"""

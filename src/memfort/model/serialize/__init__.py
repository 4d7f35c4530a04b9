"""How values become bytes and come back: canonical JSON, stored records, the field table of a memory, checked
decoding.

No file, no store and no decision comes in here.
"""

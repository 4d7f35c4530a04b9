"""Output of the command line: the console, escaped text, JSON documents, streams to files. It knows only the values
that it shows: it never runs a verb or opens a store.
"""

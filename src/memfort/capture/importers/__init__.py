"""Parsers of foreign file formats, one module each, into plain records. Executing or fetching anything, and deciding
what is kept, never come in."""

"""The policy as a document: its sections, how it is read, rendered and checked."""

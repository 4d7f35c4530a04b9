"""The policy as a document: its sections, and how it is read, rendered and checked. Decisions never come in: the gates
make them."""

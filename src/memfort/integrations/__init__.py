"""Adapters to other people's frameworks, each imported only by name."""

"""Retrieval quality: whole conversations in a store, every question asked. No language model and no network comes
in."""

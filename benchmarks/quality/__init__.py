"""How well a recall finds what answers a question: whole conversations in a store, every question asked."""

"""Export and import: everything that an actor owns, as JSON lines, there and back; and what was imported."""

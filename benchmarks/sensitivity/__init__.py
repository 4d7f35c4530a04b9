"""How well sensitivity is judged, on statements that the author of the rules has not read."""

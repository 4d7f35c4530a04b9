"""People: who there is, who is meant, who turned out to be whom, and forgetting them."""

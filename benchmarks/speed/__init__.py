"""How long things take: durable writes, recall, get, opening, deleting a user, as the store grows."""

"""Speed: durable writes, recall, get, opening and deleting a user, as the store grows."""

"""What remembers: events, the hash chains they are kept in, and the keys that seal them."""

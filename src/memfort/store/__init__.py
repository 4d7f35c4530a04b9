"""What obeys: the port every store implements, and the stores."""

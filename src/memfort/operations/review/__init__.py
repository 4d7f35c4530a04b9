"""What waits for a reviewer, and what the reviewer decides."""

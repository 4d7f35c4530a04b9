"""One file for each group of commands. Each is imported when one of its commands runs."""

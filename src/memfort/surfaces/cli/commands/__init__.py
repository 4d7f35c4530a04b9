"""Hand-written commands, one module per group, each imported when one of its commands runs. A command that can be
derived from the table of operations never comes in."""

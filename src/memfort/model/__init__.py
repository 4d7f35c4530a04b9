"""The vocabulary everything shares: plain frozen values, no input or output, no decisions."""

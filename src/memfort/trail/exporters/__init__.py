"""The trail in the formats of other systems."""

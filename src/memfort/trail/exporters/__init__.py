"""The trail in the formats of other systems, one module each. Each is a pure function of an exported line: stores,
files and networks never come in."""

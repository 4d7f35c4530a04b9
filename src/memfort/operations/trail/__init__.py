"""The trail, for those who check it: verify, sign, export, and the public trace of a call."""

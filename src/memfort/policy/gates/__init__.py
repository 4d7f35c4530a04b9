"""The gates of a write, one module each. `policy.admission` runs them in order."""

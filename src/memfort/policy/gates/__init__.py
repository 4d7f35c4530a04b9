"""The gates of a write, one module each. `policy.admission` runs them in order. A gate decides from values that it is
given: it never reads a store or changes one."""

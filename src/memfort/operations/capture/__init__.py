"""Verbs on conversations: observe messages, show the window of recent turns. Extraction of candidates is in
`memfort.capture`, which knows no store, and never comes in; every gate decides on each candidate as on any
statement."""

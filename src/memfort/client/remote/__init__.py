"""The same verbs through a server: `memfort.connect(url, key)`. Requests go out as JSON, and answers come back as the
same types; nothing is decided here."""

"""Who may be shown what: an oracle written from the documents alone, and the tests that put it to every read verb."""

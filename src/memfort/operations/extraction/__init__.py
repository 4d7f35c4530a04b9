"""Learning with a model: turns are queued when they are observed, and read later, outside any transaction. What may
leave is decided here before anything is sent; what a reply proposes passes every gate, as whoever observed the
turn."""

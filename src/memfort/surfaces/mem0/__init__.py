"""The routes that mem0's own clients ask, answered by the verbs: `memfort serve --mem0`. Who asks is known from the
key; a `user_id` in a request is a claim that has to fit it."""

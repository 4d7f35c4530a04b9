"""What a server adds to the verbs: processor time of a request, and answers under load."""

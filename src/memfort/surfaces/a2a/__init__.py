"""A2A: agents of other people ask for public memory. Whoever asks is "other", also the owner: public memories alone, to
be read and nothing else. Which agent is asked comes from the address, who asks from the credential; a message says what
is looked for."""

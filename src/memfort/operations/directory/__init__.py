"""Who belongs where, and who may read what: agents, chats, members, shares."""

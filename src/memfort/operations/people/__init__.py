"""People: the verbs that enter, find, rename, merge, link, relate and remove persons. Memories about people are changed
elsewhere: `ending` forgets a person, and gates never come in."""

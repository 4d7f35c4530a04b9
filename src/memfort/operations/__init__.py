"""One module per verb, in packages by the kind of work. Each gathers, asks policy and has the store apply."""

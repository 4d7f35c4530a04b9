"""How much of a conversation `observe` keeps, and whether it is found ten days later."""

"""Verbs on conversations: observe an interaction, show the window of recent turns. What an interaction could leave
behind is worked out in `memfort.capture`, which knows no store; every gate decides on it here as on any statement."""

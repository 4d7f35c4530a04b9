"""Agents, chats, members and shares: who belongs to which group, and who may read which space. Whether a membership
gives sight is decided in `policy` and never comes in."""

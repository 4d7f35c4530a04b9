"""Actors that call (users, agents, the system), persons that memories are about, and the directory of agents, chats and
groups. Values only: decisions about who may see or do what are in `policy` and never come in.
"""

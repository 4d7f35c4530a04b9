"""Who there is: actors that call (users, agents, the system), persons that memories are about, and the directory of
agents, chats and groups. Values only: who may see or do what is decided in `policy`.
"""

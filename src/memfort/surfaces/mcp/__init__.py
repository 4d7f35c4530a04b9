"""MCP: the verbs for assistants. Tools, resources and prompts are a view of the table of operations.

Who asks is known before a message is read: from the command line that started the process, or from the credential of an
HTTP request. No tool, resource or prompt takes an identity or a space. Words out of the store leave it inside the fence
that says they are data.
"""

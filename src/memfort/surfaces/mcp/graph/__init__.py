"""The nine tools of the MCP reference memory server over the verbs: `memfort mcp --tools graph`. A prompt or a host
that was written for that server goes on working, and what it keeps passes the gates and belongs to one identity."""

"""Reading: recall, look up, list, follow links, and explain.

Every read goes through the sight of one view. Nothing here imports an operation that writes: what both need lives in
`engine`, `model` or `policy`.
"""

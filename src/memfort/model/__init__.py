"""The values everything shares: frozen structs, their ids, records and checks of form.

No input or output, no clock and no decision comes in here, and nothing of another package but `errors`.
"""

"""The values everything shares: frozen structs, their ids, records and checks of form.

Input, output, clocks and decisions never come in, nor any other package but `errors`.
"""

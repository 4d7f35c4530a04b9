"""Finds the days that a text names, as ordinal numbers. The words of dates are data of a language. The clock never
comes in: a caller says which day is today.
"""

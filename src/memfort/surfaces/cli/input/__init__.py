"""Input of the command line: settings, identity, files and standard input, option values, completion, and consent. It
turns text into values or reports what is wrong with it. It never opens a store, and prints only questions.
"""

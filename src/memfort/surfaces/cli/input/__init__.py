"""What the command line takes in: settings, identity, files and standard input, values of options, completion of
words, and consent. It turns text into values or says what is wrong with it. It opens no store, and it prints
nothing but questions.
"""

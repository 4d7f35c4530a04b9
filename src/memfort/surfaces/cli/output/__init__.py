"""What the command line gives out: the console, escaped text, JSON documents, streams to files. It knows the values
that it shows and not how they came about: it runs no verb and opens no store.
"""

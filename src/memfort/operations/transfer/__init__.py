"""Export and import of everything that an actor owns, as JSON lines, and the list of imports. Parsers of foreign file
formats are in `memfort.capture.importers` and never come in; nor does any write that skips the gates."""

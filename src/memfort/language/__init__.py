"""What words say, by rules over words alone: dates, names, types, sensitivity, slots, stems and stop words. Pure: no
store, no policy and no model is used here, and the same text always gives the same answer.

The words themselves are data: one folder per language (`en/`, `de/`, …), and `shared/` for what belongs to none. A
folder with a `language.txt` is a language; nothing in the code lists them. `language.py` is the port to that data,
`files.py` says what each file may hold, `data.py` reads the format, and every other module here reads texts by it.
README.md says how to add a language.
"""

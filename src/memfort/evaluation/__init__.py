"""How well a memory does on labelled conversations: what it learns, finds, lets in and deletes. A file of labels goes
through a memory as a host program would put it there; pure functions compare what came of it with the labels. Nothing
here decides what is kept, and nothing here opens a store."""

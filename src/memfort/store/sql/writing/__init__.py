"""Writing: changes made to tables, what a write counts with, and the rows that it holds back to write many at once."""

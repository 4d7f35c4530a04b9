"""The PostgreSQL store. SQL stands in `queries.sql`, and here where roles and tables are made; `engine.py` opens it."""

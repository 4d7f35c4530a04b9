"""The answers of the port, part by part, over any SQL engine. They read; changes are made in `writing`."""

"""Forgetting and erasing: by id, by scope, by source, by person."""

"""Verbs that end memories: forget and erase, by id, scope, source or person, and the receipts of erasures. Superseding
by a newer memory is in `admit`, and scheduled upkeep is in `upkeep`; neither comes in."""

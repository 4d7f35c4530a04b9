"""Files from elsewhere, read into plain records. Nothing is executed or fetched."""

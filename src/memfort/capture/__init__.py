"""What comes in from elsewhere, files and conversations, read into plain values. Pure: nothing executed or fetched."""

"""What comes in from elsewhere, read into plain values. Pure: bytes in, records out, nothing executed or fetched."""

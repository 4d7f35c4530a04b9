"""What finds: words, scores and ranks. Pure, and the same answer every time."""

"""Ranks memories for a query: parse the query, bind it to the columns in sight, compute features, score, rank, and
render the result for a prompt. Pure: nothing here reads a store, a clock or a policy, so the same input gives the same
answer."""

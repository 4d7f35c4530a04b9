"""What every operation shares: the store, the clock, the policy, the running call and the reads still to be recorded.
Verbs and rules of policy never come in."""

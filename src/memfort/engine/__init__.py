"""What every operation shares: the store, the clock, the policy, the call that is under way and the reads still to be
recorded. It knows no verb."""

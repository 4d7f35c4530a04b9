"""One module per verb, in packages by the kind of work. Each gathers facts, asks policy for a decision and has the
store apply it. Rules of policy, SQL and output formats never come in."""

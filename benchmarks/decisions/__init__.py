"""What governing costs: a full write decision and a full read resolution, beside a bare insert and a bare select."""

"""The cost of governance: a full write decision and a full read resolution, compared with a bare insert and a bare
select."""

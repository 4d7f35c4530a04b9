-- Values of memories that were forgotten or erased, as keyed digests, so that older material does not bring them back. A
-- row names the audience of its memory: who may not hear a memory may not know of its end either.
create table ended_value (
  space integer not null,
  readers text not null,
  value blob not null,
  audience text not null,
  authority text not null,
  ended_at integer not null,
  seal blob not null,
  primary key (space, value, readers, audience)
) strict, without rowid;

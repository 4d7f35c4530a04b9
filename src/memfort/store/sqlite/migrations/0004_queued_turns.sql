-- Turns that a model has still to read, or that it could not. `record` says who observed the turn and from where, and how
-- often it was tried; no word of the turn. `due_at` is when it is tried next, and is empty if it was given up. The seal is
-- over all of it: what is learned is written as the one whom a row names.
create table queued_turn (
  space integer not null,
  turn text not null,
  queued_at integer not null,
  due_at integer,
  record text not null,
  seal blob not null,
  primary key (space, turn)
) strict, without rowid;

create index queued_turn_by_due on queued_turn (due_at) where due_at is not null;

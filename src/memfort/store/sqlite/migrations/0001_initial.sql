-- The first schema. Words are kept as keyed numbers, separately for each space and reader list: the index holds no text,
-- and no score depends on memories that the caller may not see.

create table meta (
  name text primary key,
  value any not null
) strict, without rowid;

-- One row for each set of coordinates that holds something. `id` is the digest the sight names it by. Every write that
-- names the space moves its version.
create table space (
  no integer primary key,
  id blob not null unique,
  coordinates text not null,
  version integer not null default 0
) strict;

create index space_by_user on space (coordinates ->> '$.user') where coordinates ->> '$.user' is not null;

-- A part of the index that is read as one: the memories of a space that share one reader list ('' is everyone), or
-- those that may be disclosed to a person. Every change of it takes the next stamp. Which memories were removed is on
-- record for the changes after `followable_since`, so that whoever holds a copy can follow. `entries` counts its index
-- entries and `memories` the memories in it, in whatever state (of a person: those in force about them), so that one
-- that is missing shows.
create table partition_group (
  no integer primary key,
  space integer references space,
  readers text,
  person text,
  stamp integer not null default 0,
  entries integer not null default 0,
  memories integer not null default 0,
  followable_since integer not null default 0,
  unique (space, readers),
  unique (person)
) strict;

-- The memories of a partition group that share one audience ('' is the plain one), so that the same people may hear
-- them. `tick` counts how many have ever come into force; the seal is over all else.
create table partition (
  no integer primary key,
  space integer not null references space,
  readers text not null,
  audience text not null,
  partition_group integer not null references partition_group,
  tick integer not null default 0,
  seal blob not null,
  unique (space, readers, audience)
) strict;

-- Which partitions of a space somebody may read: a row for each user or agent that a reader list names, and under ''
-- those for everyone, so that nobody's answer goes through the lists of others. Each row names the one after it, and
-- the first of a space has partition 0: a row that is missing shows.
create table partition_reader (
  no integer primary key,
  space integer not null references space,
  reader text not null,
  partition integer not null,
  next_reader text,
  next_partition integer,
  unique (space, reader, partition)
) strict;

-- A memory. `record` is the whole of it; the other columns repeat what is looked up by, and `seal` covers them all.
-- `indexed` is the stamp of its entry in the index, 0 if it has none. `partition_group` is that of the partition, for
-- listings; it is counted and not sealed.
-- A seal is made with the store's key: without the key nobody can write a row that is believed.
create table item (
  no integer primary key,
  space integer not null references space,
  id text not null,
  partition integer not null references partition,
  status text not null,
  deleted integer not null,
  created_at integer not null,
  expires_at integer,
  source text,
  value blob not null,
  indexed integer not null,
  record text not null,
  seal blob not null,
  partition_group integer not null,
  unique (space, id)
) strict;

create index item_by_group on item (partition_group, created_at desc, id);
create index item_by_age on item (space, created_at desc, id);
create index item_by_value on item (space, value);
create index item_by_expiry on item (space, expires_at) where expires_at is not null and deleted = 0;
create index item_by_source on item (space, source) where source is not null;

-- The index entry of a memory in force, in one row, so that a write touches one page and a whole partition group is read
-- in one go: its words as keyed numbers of eight bytes, and how often it has each; who said it, also as a keyed number,
-- and on which day; the names of itself, of the turn that it is or was taken from and of an older memory that it may
-- replace, also as keyed numbers; and its embedding.
create table entry (
  partition_group integer not null,
  stamp integer not null,
  item integer not null,
  partition integer not null,
  length integer not null,
  expires_at integer,
  terms blob not null,
  counts blob not null,
  speaker integer not null,
  day integer not null,
  in_talk integer not null,
  name integer not null,
  turn integer not null,
  may_replace integer not null,
  traits integer not null,
  vector blob not null,
  change_keys blob not null,
  seal blob not null,
  primary key (partition_group, stamp)
) strict, without rowid;

-- Which memories were removed from a partition group, and at which stamp.
create table removed_entry (
  partition_group integer not null,
  stamp integer not null,
  item integer not null,
  primary key (partition_group, stamp)
) strict, without rowid;

-- The keyed numbers by which a newer statement finds the memories it may replace.
create table change_key (
  partition_group integer not null,
  change_key integer not null,
  item integer not null,
  primary key (partition_group, change_key, item)
) strict, without rowid;

-- Which memories in force are about which person. `disclosed_stamp` is the stamp of the entry by which the memory is found
-- in the person's own partition group, 0 if it may not be disclosed; `disclosed_partition` is its partition there.
create table subject (
  person text not null,
  id text not null,
  item integer not null,
  disclosed_partition integer not null,
  disclosed_stamp integer not null,
  expires_at integer,
  primary key (person, id, item)
) strict, without rowid;

-- What may be disclosed to a person, in partitions that are disclosed together or not at all.
create table disclosed_partition (
  no integer primary key,
  person text not null,
  space integer not null,
  readers text not null,
  audience text not null,
  partition_group integer not null references partition_group,
  seal blob not null,
  unique (person, space, readers, audience)
) strict;

-- Memories in force whose time runs out at a tick of their partition.
create table tick_expiry (
  item integer primary key,
  partition integer not null,
  tick integer not null
) strict;

create index tick_expiry_by_tick on tick_expiry (partition, tick);

-- Which memory was made from which: `space` is the parent's, and the child's too unless it was promoted out of there.
create table lineage (
  space integer not null,
  parent text not null,
  child integer not null,
  primary key (space, parent, child)
) strict, without rowid;

create index lineage_by_child on lineage (child);

-- Each author's own sequence of numbers in a partition, so that no id depends on memories its author may not see; `live`
-- counts how many of them are in force.
create table author_sequence (
  partition integer not null,
  author blob not null,
  kind text not null,
  next integer not null,
  live integer not null default 0,
  primary key (partition, author, kind)
) strict, without rowid;

create index author_sequence_by_author on author_sequence (author, kind);

-- The phases of a space after its first.
create table phase (
  space integer not null,
  place integer not null,
  record text not null,
  seal blob not null,
  primary key (space, place)
) strict, without rowid;

-- Policies that are or were in use; `meta` names the one that is.
create table policy (
  digest text primary key,
  document text not null,
  seal blob not null
) strict, without rowid;

-- Values a reviewer rejected.
create table rejected_value (
  space integer not null,
  readers text not null,
  value blob not null,
  authority text not null,
  seal blob not null,
  primary key (space, value, readers)
) strict, without rowid;

-- The directory: agents, chats, members and shares. Its rows carry no seal; the trail tells of each, so that one which
-- was added, changed or taken away behind the store's back is found by comparing.
create table agent (
  id text primary key,
  owner text not null
) strict, without rowid;

create index agent_owner on agent (owner);

create table chat (
  id text primary key,
  kind text not null
) strict, without rowid;

-- Participants of chats and members of workspaces, projects, roles and orgs. A row with an empty kind says that the
-- group is registered, so that one which has lost its last member is not open to all.
create table member (
  level text not null,
  id text not null,
  kind text not null,
  name text not null,
  trust text not null,
  primary key (level, id, kind, name)
) strict, without rowid;

create index member_by_name on member (kind, name);

create table share (
  id text primary key,
  space blob not null,
  reader_kind text not null,
  reader text not null,
  record text not null
) strict, without rowid;

create index share_by_reader on share (reader_kind, reader);
create index share_by_space on share (space);

-- API keys. `record` names the holder, the scopes and a digest of the key; the key itself is nowhere. The seal covers
-- the record, so that nobody without the store's key can add one; `last_used` is outside it.
create table access_key (
  id text primary key,
  record text not null,
  seal blob not null,
  last_used integer
) strict, without rowid;

-- Answers to requests that must have one effect, for a day: encrypted, and found by a digest of the sender and the
-- sender's key of the request. `reply_name` leads from a memory or a person to the answers that name it, whose bodies go
-- when it is erased.
create table reply (
  key blob primary key,
  fingerprint blob not null,
  at integer not null,
  body blob
) strict, without rowid;

create index reply_by_age on reply (at);

create table reply_name (
  name text not null,
  reply blob not null,
  primary key (name, reply)
) strict, without rowid;

create index reply_name_by_reply on reply_name (reply);

create table source (
  space integer not null,
  id text not null,
  record text not null,
  seal blob not null,
  primary key (space, id)
) strict, without rowid;

create table erasure (
  id text primary key,
  at integer not null,
  pending text,
  record text not null,
  seal blob not null
) strict, without rowid;

-- Memories whose bytes no longer match their seal: out of the index, kept for a look, never served.
create table quarantine (
  item integer primary key,
  name text not null,
  found_at integer not null
) strict;

-- The seal of a chain is over its head, and so over all of it: nobody without the key can add an event.
create table chain (
  no integer primary key,
  kind text not null,
  key blob not null,
  length integer not null,
  head blob not null,
  seal blob not null,
  unique (kind, key)
) strict;

create table event (
  chain integer not null,
  number integer not null,
  body blob not null,
  hash blob not null,
  primary key (chain, number)
) strict, without rowid;

create table checkpoint (
  chain integer not null,
  number integer not null,
  head blob not null,
  at integer not null,
  signature blob not null,
  primary key (chain, number)
) strict, without rowid;

insert into meta (name, value) values ('directory', 0), ('phases', 0);

-- People. `home` is the space a person is known in, 0 for one that is listed for all to see. The names stand in the
-- records as text, so erasing somebody has to drop the row.
create table person (
  id text primary key,
  home integer not null,
  record text not null,
  seal blob not null
) strict, without rowid;

create index person_by_home on person (home, id);

-- What people are looked up by: their normal names, and the first words of those. It only leads to a record, and a
-- record that does not have the name is not believed to.
create table person_name (
  name text not null,
  person text not null,
  primary key (name, person)
) strict, without rowid;

create index person_name_by_person on person_name (person);

-- Each creator's own sequence of people and relations in a home, for a reader list. It never goes back, so that no id
-- comes to mean somebody else.
create table person_sequence (
  home integer not null,
  readers text not null,
  creator blob not null,
  next integer not null,
  primary key (home, readers, creator)
) strict, without rowid;

create table relation (
  id text primary key,
  home integer not null,
  from_person text not null,
  to_person text not null,
  record text not null,
  seal blob not null
) strict, without rowid;

create index relation_from on relation (from_person);
create index relation_to on relation (to_person);
create index relation_by_home on relation (home);

-- The first schema. `space` is the first column of every key: 16 bytes of the digest of a space, or of what stands in
-- place of one (a person, an actor, the directory: `{directory}`). So every statement names where it goes, row-level
-- security has one rule for all tables, and the same tables can be spread over many servers.
--
-- A number (`no`, `partition`, `item`, …) is that of its space shifted left by 32 bits, plus a number in the space.
--
-- `{partitioned}` stands for `partition by hash (space)`; `create.py` makes the partitions.

-- One row for each space, or what stands in place of one: it is locked by whoever writes there. `version` moves with
-- each write, and `last` is the last number that was given in it.
create table space_lock (
  space uuid not null,
  no bigint not null,
  version bigint not null default 0,
  last bigint not null default 0,
  primary key (space)
);

create index space_lock_by_no on space_lock (no);

create table meta (
  space uuid not null,
  name text collate "C" not null,
  value jsonb not null,
  primary key (space, name)
);

-- One row for each set of coordinates that holds something. `id` is the digest the sight names it by.
create table space (
  space uuid not null,
  no bigint not null,
  id bytea not null,
  coordinates text collate "C" not null,
  owner text collate "C",
  primary key (space)
);

create index space_by_id on space (id);
create index space_by_owner on space (owner, id) where owner is not null;

-- A part of the index that is read as one: the memories of a space that share one reader list ('' is everyone), or
-- those that may be disclosed to a person. Every change of it takes the next stamp. Which memories were removed is on
-- record for the changes after `followable_since`, so that whoever holds a copy can follow. `entries` counts its index
-- entries and `memories` the memories in it, in whatever state (of a person: those in force about them), so that one
-- that is missing shows.
create table partition_group (
  space uuid not null,
  no bigint not null,
  home bigint,
  readers text collate "C",
  person text collate "C",
  stamp bigint not null default 0,
  entries bigint not null default 0,
  memories bigint not null default 0,
  followable_since bigint not null default 0,
  primary key (space, no),
  unique (space, home, readers),
  unique (space, person)
);

-- The memories of a partition group that share one audience ('' is the plain one), so that the same people may hear
-- them. `tick` counts how many have ever come into force; the seal is over all else.
create table partition (
  space uuid not null,
  no bigint not null,
  home bigint not null,
  readers text collate "C" not null,
  audience text collate "C" not null,
  partition_group bigint not null,
  tick bigint not null default 0,
  seal bytea not null,
  primary key (space, no),
  unique (space, readers, audience)
);

-- Which partitions of a space somebody may read: a row for each user or agent that a reader list names, and under ''
-- those for everyone, so that nobody's answer goes through the lists of others. Each row names the one after it, and
-- the first of a space has partition 0: a row that is missing shows.
create table partition_reader (
  space uuid not null,
  no bigint not null,
  home bigint not null,
  reader text collate "C" not null,
  partition bigint not null,
  next_reader text collate "C",
  next_partition bigint,
  primary key (space, no),
  unique (space, reader, partition)
);

-- A memory. `record` is the whole of it; the other columns repeat what is looked up by, and `seal` covers them all.
-- `indexed` is the stamp of its entry in the index, 0 if it has none. `partition_group` is that of the partition, for
-- listings; it is counted and not sealed.
-- A seal is made with the store's key: without the key nobody can write a row that is believed.
create table item (
  space uuid not null,
  no bigint not null,
  id text collate "C" not null,
  partition bigint not null,
  status text collate "C" not null,
  deleted bigint not null,
  created_at bigint not null,
  expires_at bigint,
  source text collate "C",
  value bytea not null,
  indexed bigint not null,
  record text collate "C" not null,
  seal bytea not null,
  partition_group bigint not null,
  conversation text collate "C",
  primary key (space, no),
  unique (space, id)
) {partitioned};

create index item_by_group on item (space, partition_group, created_at desc, id);
create index item_by_age on item (space, created_at desc, id);
create index item_by_value on item (space, value);
create index item_by_expiry on item (space, expires_at) where expires_at is not null and deleted = 0;
create index item_by_conversation on item (space, conversation, no) where conversation is not null;

-- The index entry of a memory in force, in one row, so that a whole partition group is read in one go: its words as keyed
-- numbers of eight bytes, and how often it has each; who said it, also as a keyed number, and on which day; the names of
-- itself, of the turn that it is or was taken from and of an older memory that it may replace, likewise; and its
-- embedding. The bytes are kept as they are: packing them would cost a recall more than it saves.
create table entry (
  space uuid not null,
  partition_group bigint not null,
  stamp bigint not null,
  item bigint not null,
  partition bigint not null,
  length bigint not null,
  expires_at bigint,
  terms bytea not null,
  counts bytea not null,
  speaker bigint not null,
  day bigint not null,
  in_talk bigint not null,
  name bigint not null,
  turn bigint not null,
  may_replace bigint not null,
  traits bigint not null,
  vector bytea not null,
  change_keys bytea not null,
  seal bytea not null,
  primary key (space, partition_group, stamp)
) {partitioned};

create index entry_by_item on entry (space, item);

-- Which memories were removed from a partition group, and at which stamp.
create table removed_entry (
  space uuid not null,
  partition_group bigint not null,
  stamp bigint not null,
  item bigint not null,
  primary key (space, partition_group, stamp)
);

-- The keyed numbers by which a newer statement finds the memories it may replace.
create table change_key (
  space uuid not null,
  partition_group bigint not null,
  change_key bigint not null,
  item bigint not null,
  primary key (space, partition_group, change_key, item)
) {partitioned};

-- Which memories in force are about which person; `space` stands for the person, and `item_space` is the memory's.
-- `disclosed_stamp` is the stamp of the entry by which the memory is found in the person's own partition group, 0 if it
-- may not be disclosed; `disclosed_partition` is its partition there.
create table subject (
  space uuid not null,
  person text collate "C" not null,
  id text collate "C" not null,
  item bigint not null,
  item_space uuid not null,
  disclosed_partition bigint not null,
  disclosed_stamp bigint not null,
  expires_at bigint,
  primary key (space, person, id, item)
) {partitioned};

create index subject_by_item on subject (item);

-- What may be disclosed to a person, in partitions that are disclosed together or not at all. `space` stands for the
-- person, `home` and `home_space` are the number and the digest of the space of the memories.
create table disclosed_partition (
  space uuid not null,
  no bigint not null,
  person text collate "C" not null,
  home bigint not null,
  home_space uuid not null,
  readers text collate "C" not null,
  audience text collate "C" not null,
  partition_group bigint not null,
  seal bytea not null,
  primary key (space, no),
  unique (space, person, home, readers, audience)
);

-- Memories in force whose time runs out at a tick of their partition.
create table tick_expiry (
  space uuid not null,
  item bigint not null,
  partition bigint not null,
  tick bigint not null,
  primary key (space, item)
);

create index tick_expiry_by_tick on tick_expiry (space, partition, tick);

-- Which memory was made from which: `space` is the parent's, and the child's too unless it was promoted out of there.
create table lineage (
  space uuid not null,
  home bigint not null,
  parent text collate "C" not null,
  child bigint not null,
  child_space uuid not null,
  primary key (space, parent, child)
) {partitioned};

create index lineage_by_child on lineage (child);

-- Each author's own sequence of numbers in a partition, so that no id depends on memories its author may not see; `live`
-- counts how many of them are in force.
create table author_sequence (
  space uuid not null,
  partition bigint not null,
  author bytea not null,
  kind text collate "C" not null,
  next bigint not null,
  live bigint not null default 0,
  primary key (space, partition, author, kind)
);

create index author_sequence_by_author on author_sequence (author, kind);

-- The phases of a space after its first.
create table phase (
  space uuid not null,
  home bigint not null,
  place bigint not null,
  record text collate "C" not null,
  seal bytea not null,
  primary key (space, place)
);

-- Policies that are or were in use; `meta` names the one that is.
create table policy (
  space uuid not null,
  digest text collate "C" not null,
  document text collate "C" not null,
  seal bytea not null,
  primary key (space, digest)
);

-- Values a reviewer rejected.
create table rejected_value (
  space uuid not null,
  home bigint not null,
  readers text collate "C" not null,
  value bytea not null,
  authority text collate "C" not null,
  seal bytea not null,
  primary key (space, value, readers)
);

-- Values of memories that were forgotten or erased, as keyed digests, so that older material does not bring them back. A
-- row names the audience of its memory: who may not hear a memory may not know of its end either.
create table ended_value (
  space uuid not null,
  home bigint not null,
  readers text collate "C" not null,
  value bytea not null,
  audience text collate "C" not null,
  authority text collate "C" not null,
  ended_at bigint not null,
  seal bytea not null,
  primary key (space, value, readers, audience)
);

-- The directory: agents, chats, members and shares. Its rows carry no seal; the trail tells of each, so that one which
-- was added, changed or taken away behind the store's back is found by comparing.
create table agent (
  space uuid not null,
  id text collate "C" not null,
  owner text collate "C" not null,
  primary key (space, id)
);

create table chat (
  space uuid not null,
  id text collate "C" not null,
  kind text collate "C" not null,
  primary key (space, id)
);

-- Participants of chats and members of workspaces, projects, roles and orgs. A row with an empty kind says that the
-- group is registered, so that one which has lost its last member is not open to all.
create table member (
  space uuid not null,
  level text collate "C" not null,
  id text collate "C" not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  trust text collate "C" not null,
  primary key (space, level, id, kind, name)
);

create index member_by_name on member (space, kind, name);

create table share (
  space uuid not null,
  id text collate "C" not null,
  shared bytea not null,
  reader_kind text collate "C" not null,
  reader text collate "C" not null,
  record text collate "C" not null,
  primary key (space, id)
);

create index share_by_reader on share (space, reader_kind, reader);
create index share_by_space on share (space, shared);

-- API keys. `record` names the holder, the scopes and a digest of the key; the key itself is nowhere. The seal covers
-- the record, so that nobody without the store's key can add one; `last_used` is outside it.
create table access_key (
  space uuid not null,
  id text collate "C" not null,
  record text collate "C" not null,
  seal bytea not null,
  last_used bigint,
  primary key (space, id)
);

-- Answers to requests that must have one effect, for a day: encrypted, and found by a digest of the sender and the
-- sender's key of the request. `reply_name` leads from a memory or a person to the answers that name it, whose bodies go
-- when it is erased.
create table reply (
  space uuid not null,
  key bytea not null,
  fingerprint bytea not null,
  at bigint not null,
  body bytea,
  primary key (space, key)
);

create index reply_by_age on reply (space, at);

create table reply_name (
  space uuid not null,
  name text collate "C" not null,
  reply bytea not null,
  primary key (space, name, reply)
);

create index reply_name_by_reply on reply_name (space, reply);

create table source (
  space uuid not null,
  home bigint not null,
  id text collate "C" not null,
  record text collate "C" not null,
  seal bytea not null,
  primary key (space, id)
);

-- Turns that a model has still to read, or that it could not. `record` says who observed the turn and from where, and how
-- often it was tried; no word of the turn. `due_at` is when it is tried next, and is empty if it was given up. The seal is
-- over all of it: what is learned is written as the one whom a row names.
create table queued_turn (
  space uuid not null,
  home bigint not null,
  turn text collate "C" not null,
  queued_at bigint not null,
  due_at bigint,
  record text collate "C" not null,
  seal bytea not null,
  primary key (space, turn)
);

create index queued_turn_by_due on queued_turn (due_at) where due_at is not null;

create table erasure (
  space uuid not null,
  id text collate "C" not null,
  at bigint not null,
  pending text collate "C",
  record text collate "C" not null,
  seal bytea not null,
  primary key (space, id)
);

-- Spaces in which something was erased, so that their parts of the tables have to be rewritten, with the write that erased
-- it; and in `meta`, how far the server's log was when that was done last.
create table to_rewrite (
  space uuid not null,
  target uuid not null,
  writer text collate "C" not null,
  primary key (space, target, writer)
);

-- Memories whose bytes no longer match their seal: out of the index, kept for a look, never served.
create table quarantine (
  space uuid not null,
  item bigint not null,
  name text collate "C" not null,
  found_at bigint not null,
  primary key (space, item)
);

-- The seal of a chain is over its head, and so over all of it: nobody without the key can add an event.
create table chain (
  space uuid not null,
  no bigint not null,
  kind text collate "C" not null,
  key bytea not null,
  length bigint not null,
  head bytea not null,
  seal bytea not null,
  primary key (space, no),
  unique (space, kind, key)
);

create table event (
  space uuid not null,
  chain bigint not null,
  number bigint not null,
  body bytea not null,
  hash bytea not null,
  primary key (space, chain, number)
) {partitioned};

create table checkpoint (
  space uuid not null,
  chain bigint not null,
  number bigint not null,
  head bytea not null,
  at bigint not null,
  signature bytea not null,
  primary key (space, chain, number)
);

-- People. `home` is the space a person is known in, 0 for one that is listed for all to see. The names stand in the
-- records as text, so erasing somebody has to drop the row.
create table person (
  space uuid not null,
  id text collate "C" not null,
  home bigint not null,
  record text collate "C" not null,
  seal bytea not null,
  primary key (space, id)
);

create index person_by_id on person (id);

-- What people are looked up by: their normal names, and the first words of those. It only leads to a record, and a
-- record that does not have the name is not believed to.
create table person_name (
  space uuid not null,
  name text collate "C" not null,
  person text collate "C" not null,
  primary key (space, name, person)
);

create index person_name_by_person on person_name (person);

-- Each creator's own sequence of people and relations in a home, for a reader list. It never goes back, so that no id
-- comes to mean somebody else.
create table person_sequence (
  space uuid not null,
  home bigint not null,
  readers text collate "C" not null,
  creator bytea not null,
  next bigint not null,
  primary key (space, readers, creator)
);

create table relation (
  space uuid not null,
  id text collate "C" not null,
  home bigint not null,
  from_person text collate "C" not null,
  to_person text collate "C" not null,
  record text collate "C" not null,
  seal bytea not null,
  primary key (space, id)
);

create index relation_from on relation (space, from_person);
create index relation_to on relation (space, to_person);

insert into space_lock (space, no, last) values ('{directory}', 0, 0);

insert into meta (space, name, value) values
  ('{directory}', 'directory', '0'),
  ('{directory}', 'phases', '0'),
  ('{directory}', 'last_space', '0');

-- Every statement the SQLite store runs, by name. Values are bound; lists come in as JSON.
-- The texts of a memory are read as bytes: a damaged one that is no text any more must spoil its own row alone.

-- name: space_no
-- The number of a space.
select no
from space
where id = ?1

-- name: add_space
insert into space (id, coordinates)
values (?1, ?2)

-- name: version_of_space
select version
from space
where no = ?1

-- name: bump_version
-- Move the version of a space, under its lock.
update space
set version = version + 1
where id = ?1

-- name: bump_all_versions
update space
set version = version + 1

-- name: all_spaces
select no, id, coordinates
from space

-- name: drop_space
delete from space
where no = ?1
  or id = ?2

-- name: restore_space
insert into space (no, id, coordinates)
values (?1, ?2, ?3)

-- name: spaces_after
-- A page of spaces: after an id, or from it on.
select id, coordinates
from space
where id >= ?1
  and (id > ?1 or ?2)
order by id
limit ?3

-- name: spaces_of_user_after
select id, coordinates
from space
where coordinates ->> '$.user' = ?1
  and id >= ?2
  and (id > ?2 or ?3)
order by id
limit ?4

-- name: partition_no
select no, partition_group
from partition
where space = ?1
  and readers = ?2
  and audience = ?3

-- name: partition_group_no
select no
from partition_group
where space = ?1
  and readers = ?2

-- name: add_partition_group
insert into partition_group (space, readers)
values (?1, ?2)

-- name: partition_groups
select no, space, readers, person
from partition_group

-- name: all_partition_groups
select no, space, readers, person, stamp, entries, memories
from partition_group
order by no

-- name: drop_damaged_partition_groups
-- Those that are neither of a space and its readers, nor of a person.
delete from partition_group
where (space is null) <> (readers is null)
  or (space is null) = (person is null)

-- name: partition_groups_of_people
select person, no
from partition_group
where person in (select value from json_each(?1))

-- name: partition_group_of_person
select no
from partition_group
where person = ?1

-- name: add_partition_group_of_person
insert into partition_group (person)
values (?1)

-- name: group_counts
select stamp, entries, memories
from partition_group
where no = ?1

-- name: set_group_counts
update partition_group
set stamp = ?2,
    entries = ?3,
    memories = ?4
where no = ?1

-- name: all_group_counts
-- What each partition group counts, and what is there: its last stamp, its entries, and its memories or those about its
-- person.
select partition_group.no, partition_group.stamp, partition_group.entries, partition_group.memories,
  (
    select max(stamp)
    from (
      select max(stamp) as stamp from entry where entry.partition_group = partition_group.no
      union all
      select max(stamp) from removed_entry where removed_entry.partition_group = partition_group.no
    )
  ),
  (select count(*) from entry where entry.partition_group = partition_group.no),
  iif(
    partition_group.person is null,
    (select count(*) from item where item.partition_group = partition_group.no),
    (select count(*) from subject where subject.person = partition_group.person)
  )
from partition_group

-- name: count_items_of_groups
select partition_group.no, partition_group.memories,
  (select count(*) from item where item.partition_group = partition_group.no)
from partition_group
where partition_group.no in (select value from json_each(?1))

-- name: subjects_counted
-- How many memories in force are about each of some persons, as they were counted and as they are listed.
select coalesce((select memories from partition_group where person = asked.value), 0),
  (select count(*) from subject join item on item.no = subject.item where subject.person = asked.value)
from json_each(?1) as asked

-- name: next_partition
-- The number of a new partition, of whatever space: here all have one sequence.
select 1 + coalesce(max(no), 0)
from partition
where ?1 is not null

-- name: add_partition
insert into partition (no, space, readers, audience, partition_group, seal)
values (?1, ?2, ?3, ?4, ?5, ?6)

-- name: all_partitions
select no, space, readers, audience, partition_group, seal
from partition
order by no

-- name: drop_partition
delete from partition
where no = ?1

-- name: drop_partition_at
delete from partition
where space = ?1
  and readers = ?2
  and audience = ?3

-- name: add_partition_reader
insert into partition_reader (space, reader, partition, next_reader, next_partition)
values (?1, ?2, ?3, ?4, ?5)

-- name: partition_reader_before
-- The last row of a space before a place.
select no, next_reader, next_partition
from partition_reader
where space = ?1
  and (reader, partition) < (?2, ?3)
order by reader desc, partition desc
limit 1

-- name: set_next_partition_reader
update partition_reader
set next_reader = ?2,
    next_partition = ?3
where no = ?1

-- name: all_partition_readers
select space, reader, partition, next_reader, next_partition
from partition_reader
order by space, reader, partition

-- name: clear_partition_readers
delete from partition_reader

-- name: partition_group
select partition_group
from partition
where no = ?1

-- name: partitions_of_readers
-- The one clause that turns a sight into rows: exactly the named spaces, and in them what these readers are named by. No
-- names, no rows.
select space.id, listed.reader, listed.partition, listed.next_reader, listed.next_partition,
  partition.no, partition.space, partition.readers, partition.audience, partition.partition_group, partition.seal,
  partition_group.stamp, partition_group.entries
from space
join partition_reader as listed on listed.space = space.no
  and listed.reader in (select value from json_each(?2))
left join partition on partition.no = listed.partition
left join partition_group on partition_group.no = partition.partition_group
where space.id in (select unhex(value) from json_each(?1))
order by space.id, listed.reader, listed.partition

-- name: partition_readers_before
-- The rows before those of readers in each of some spaces, to see that no row is missing between.
select space.id, asked.value, before.next_reader, before.next_partition, before.no
from space
join json_each(?2) as asked
left join partition_reader as before on before.no = (
  select no
  from partition_reader
  where partition_reader.space = space.no
    and reader < asked.value
  order by reader desc, partition desc
  limit 1
)
where space.id in (select unhex(value) from json_each(?1))

-- name: partitions_of_spaces
-- The same for whoever sees all of these spaces.
select space.id, listed.reader, listed.partition, listed.next_reader, listed.next_partition,
  partition.no, partition.space, partition.readers, partition.audience, partition.partition_group, partition.seal,
  partition_group.stamp, partition_group.entries
from space
join partition_reader as listed on listed.space = space.no
left join partition on partition.no = listed.partition
left join partition_group on partition_group.no = partition.partition_group
where space.id in (select unhex(value) from json_each(?1))
order by space.id, listed.reader, listed.partition

-- name: any_lost_space
-- Whether one of these spaces has no partitions but memories; or but a history, while some memories are in a space that
-- no row with a history tells of.
with recursive used (no) as (
  select min(space) from item
  union all
  select (select min(item.space) from item where item.space > used.no) from used where used.no is not null
)
select exists (
  select 1
  from json_each(?1) as asked
  left join space on space.id = unhex(asked.value)
  where not exists (
      select 1
      from partition_reader
      where partition_reader.space = space.no
        and reader = ''
        and partition = 0
    )
    and (
      exists (select 1 from item where item.space = space.no)
      or (
        exists (select 1 from chain where kind = 'space' and key = unhex(asked.value) and length > 0)
        and exists (
          select 1
          from used
          where used.no is not null
            and used.no not in (
              select named.no
              from space as named
              join chain on chain.kind = 'space' and chain.key = named.id
            )
        )
      )
    )
)

-- name: spaces_without_row
-- Numbers of spaces that memories are in and no row tells of.
with recursive used (no) as (
  select min(space) from item
  union all
  select (select min(item.space) from item where item.space > used.no) from used where used.no is not null
)
select no
from used
where no is not null
  and no not in (select space.no from space)

-- name: set_tick
update partition
set tick = ?2
where no = ?1

-- name: partition_at
-- The numbers of a space, a partition in it and its partition group, by the digest of the space.
select space.no, partition.no, partition.partition_group
from partition
join space on space.no = partition.space
where space.id = ?1
  and partition.readers = ?2
  and partition.audience = ?3

-- name: tick
select tick
from partition
where no = ?1

-- name: add_tick_expiry
insert into tick_expiry (item, partition, tick)
values (?1, ?2, ?3)

-- name: all_tick_expiries
select item, partition, tick
from tick_expiry

-- name: drop_tick_expiry
delete from tick_expiry
where item = ?1

-- name: drop_tick_expiries
delete from tick_expiry
where item in carray(?1)

-- name: next_tick_expiry
select min(tick)
from tick_expiry
where partition = ?1

-- name: items_expired_by_tick
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where no in (select item from tick_expiry where partition = ?1 and tick <= ?2)

-- name: items_by_importance
-- The memories in force on a partition that were made by a moment, the least important first, or simply the oldest. A
-- damaged record that is no JSON any more must not keep the others from being read.
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where partition = ?1
  and indexed > 0
  and created_at <= ?3
order by iif(?2 or not json_valid(record), null, record ->> 'importance'), created_at, id

-- name: items_of_author
-- The same of one author in every partition that has something lasting of theirs, by number: sorting whole rows takes
-- twice as long. Others of the same name, and turns, come along and are left out later.
select item.no
from item
join space on space.no = item.space
where item.partition in (select partition from author_sequence where author = ?1 and kind <> 'short_term' and live > 0)
  and item.indexed > 0
  and item.created_at <= ?3
  and iif(json_valid(item.record), item.record ->> '$.author.id', null) = ?4
order by iif(?2, null, item.record ->> 'importance'), item.created_at, item.id, space.id

-- name: partition_group_at
-- The partition group of a space and a reader list.
select partition_group.no
from partition_group
join space on space.no = partition_group.space
where space.id = ?1
  and partition_group.readers = ?2

-- name: items_with_change_keys
-- Some of the memories in a partition group that have one of these change keys, whichever: sorting takes longer than
-- finding them.
select item
from change_key
where partition_group = ?1
  and change_key in carray(?2)
limit ?3

-- name: change_keys_of_partition_group
select distinct change_key
from change_key
where partition_group = ?1

-- name: latest_items_with_change_keys
select distinct item
from change_key
where partition_group = ?1
  and change_key in carray(?2)
order by item desc
limit ?3

-- name: entries
-- What came into a partition group between two stamps, in that order.
select stamp, item, partition, length, expires_at, terms, counts, speaker, day, in_talk, name, turn,
  may_replace, traits, vector, change_keys, seal
from entry
where partition_group = ?1
  and stamp > ?2
  and stamp <= ?3
order by stamp

-- name: unembedded
-- The memories in partition groups whose vector has another embedder's tag, or this tag but another length than it should
-- have, if that is known; without a tag, those that have a vector.
select item
from entry
where partition_group in (select value from json_each(?1))
  and partition in (select value from json_each(?2))
  and iif(
    length(?3),
    substr(vector, 1, length(?3)) is not ?3  -- of nothing it is null
      or (?4 is not null and length(vector) not in (length(?3), length(?3) + ?4)),
    length(vector) > 0
  )
order by item

-- name: unjudged
-- The memories of partitions, in force or pending, whose sensitivity waits to be judged.
select no
from item
where partition_group in (select value from json_each(?1))
  and partition in (select value from json_each(?2))
  and deleted = 0
  and status in ('approved', 'pending')
  and record ->> '$.judgement.reason' = 'not_classified'
order by no

-- name: any_entry_without_memory
-- Whether one of those is of a memory that is not there.
select exists (
  select 1
  from entry
  where partition_group = ?1
    and stamp > ?2
    and stamp <= ?3
    and item not in (select no from item)
)

-- name: removed_entries
-- What went out of it between the same.
select stamp, item
from removed_entry
where partition_group = ?1
  and stamp > ?2
  and stamp <= ?3
order by stamp

-- name: followable_since
select followable_since
from partition_group
where no = ?1

-- name: add_entry
insert into entry
  (partition_group, stamp, item, partition, length, expires_at, terms, counts, speaker, day, in_talk, name, turn,
   may_replace, traits, vector, change_keys, seal)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)

-- name: count_entries_of_items
-- How many words and change keys the index has of memories: each is a number of eight bytes.
select coalesce(sum(length(entry.terms) + length(entry.change_keys)), 0) / 8
from item
join entry on entry.partition_group = item.partition_group and entry.stamp = item.indexed
where item.space in (select value from json_each(?1))
  and item.id in (select value from json_each(?2))

-- name: drop_entries
-- Those of several memories at once; gives their change keys.
delete from entry
where partition_group = ?1
  and stamp in carray(?2)
returning item, change_keys

-- name: entries_of_item
select partition_group, stamp
from entry
where item = ?1

-- name: add_removed_entry
insert into removed_entry (partition_group, stamp, item)
values (?1, ?2, ?3)

-- name: drop_removed_entries
delete from removed_entry
where partition_group = ?1
  and stamp <= ?2

-- name: last_stamp
select max(
  coalesce((select max(stamp) from partition_group), 0),
  coalesce((select max(stamp) from entry), 0),
  coalesce((select max(stamp) from removed_entry), 0)
)

-- name: restart_partition_groups
-- Every partition group empty, after changes that nobody can follow: whoever has a copy reads it anew.
update partition_group
set stamp = ?1,
    followable_since = ?1,
    entries = 0,
    memories = 0

-- name: set_followable_since
update partition_group
set followable_since = ?2
where no = ?1

-- name: add_change_key
insert or ignore into change_key (partition_group, change_key, item)
values (?1, ?2, ?3)

-- name: drop_change_key
delete from change_key
where partition_group = ?1
  and change_key = ?2
  and item = ?3

-- name: add_subject
insert into subject (person, id, item, disclosed_partition, disclosed_stamp, expires_at)
values (?1, ?2, ?3, ?4, ?5, ?6)

-- name: drop_subject
delete from subject
where person = ?1
  and id = ?2
  and item = ?3
returning person, item, disclosed_stamp

-- name: disclosed_partition_no
select no, partition_group
from disclosed_partition
where person = ?1
  and space = ?2
  and readers = ?3
  and audience = ?4

-- name: next_disclosed_partition
-- The number of a new one, of whatever person.
select 1 + coalesce(max(no), 0)
from disclosed_partition
where ?1 is not null

-- name: add_disclosed_partition
insert into disclosed_partition (no, person, space, readers, audience, partition_group, seal)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7)

-- name: all_disclosed_partitions
select no, person, space, readers, audience, partition_group, seal
from disclosed_partition
order by no

-- name: drop_disclosed_partition
delete from disclosed_partition
where no = ?1

-- name: disclosed_partitions
-- The partitions of what may be disclosed to a person.
select disclosed_partition.no, disclosed_partition.person, disclosed_partition.space, disclosed_partition.readers,
  disclosed_partition.audience, disclosed_partition.partition_group, disclosed_partition.seal,
  space.id, space.coordinates ->> '$.user', partition_group.stamp, partition_group.entries
from disclosed_partition
left join partition_group on partition_group.no = disclosed_partition.partition_group
  and partition_group.person = disclosed_partition.person
left join space on space.no = disclosed_partition.space
where disclosed_partition.person = ?1

-- name: any_undisclosable
-- Whether a memory about a person, or about anybody, is in none of the partitions of what may be disclosed to them.
select exists (
  select 1
  from subject
  where person = coalesce(?1, person)
    and disclosed_stamp > 0
    and not exists (
      select 1
      from disclosed_partition
      where disclosed_partition.no = subject.disclosed_partition
        and disclosed_partition.person = subject.person
    )
)

-- name: disclosed_among
-- Of some memories, those that are disclosed to persons, in these partitions.
select item
from subject
where person in (select value from json_each(?1))
  and disclosed_partition in (select value from json_each(?2))
  and item in (select value from json_each(?3))
  and disclosed_stamp > 0

-- name: items_disclosed
-- Memories about persons, by id.
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where no in (
  select subject.item
  from subject
  where subject.person in (select value from json_each(?1))
    and subject.id in (select value from json_each(?2))
    and subject.disclosed_stamp > 0
)

-- name: items_disclosed_by_id
-- Memories about anybody, by id.
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where no in (
  select subject.item
  from subject
  where subject.person in (select disclosed_partition.person from disclosed_partition)
    and subject.id in (select value from json_each(?1))
    and subject.disclosed_stamp > 0
)

-- name: items_about
-- Memories in force about persons, from newest to oldest, in visible partitions or disclosed.
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where no in (select subject.item from subject where subject.person in (select value from json_each(?1)))
  and (
    partition in (select value from json_each(?2))
    or no in (
      select subject.item
      from subject
      where subject.person in (select value from json_each(?3))
        and subject.disclosed_partition in (select value from json_each(?4))
    )
  )
order by created_at desc, id, space

-- name: items_about_in_sight
select distinct subject.item
from subject
join item on item.no = subject.item
where subject.person in (select value from json_each(?1))
  and item.partition in (select value from json_each(?2))

-- name: all_subjects
select person, id, item, expires_at
from subject

-- name: all_subject_rows
-- With where each memory may be disclosed.
select person, id, item, disclosed_partition, disclosed_stamp, expires_at
from subject

-- name: disclosed_entries_without_memory
-- Entries for disclosing that no memory about that person has.
select count(*)
from entry
join partition_group on partition_group.no = entry.partition_group and partition_group.person is not null
left join item on item.no = entry.item
left join subject on subject.person = partition_group.person and subject.id = item.id and subject.item = item.no
  and subject.disclosed_stamp = entry.stamp
where subject.item is null

-- name: disclosed_without_entry
-- Memories that may be disclosed but have no entry for it.
select count(*)
from subject
left join partition_group on partition_group.person = subject.person
left join entry on entry.partition_group = partition_group.no
  and entry.stamp = subject.disclosed_stamp
  and entry.item = subject.item
where subject.disclosed_stamp > 0
  and entry.item is null

-- name: unindex_item
update item
set indexed = 0
where no = ?1

-- name: partition_ticks
select no, tick
from partition

-- name: positions
select item.no, item.partition, item.created_at, cast(item.id as blob), space.id
from item
join space on space.no = item.space
where item.no in (select value from json_each(?1))

-- name: items_by_no
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where no in (select value from json_each(?1))

-- name: items_by_id
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where space in (select value from json_each(?1))
  and id in (select value from json_each(?2))

-- name: items_by_id_prefix
-- From a name on, in order; those that do not begin with it come after those that do.
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where space = ?1
  and id >= ?2
  and id < ?2 || '~'
order by id

-- name: items_of_group_by_age
-- One partition group from newest to oldest, past a place, in some states.
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where partition_group = ?1
  and created_at <= ?2
  and (created_at < ?2 or id >= ?3)
  and status in (select value from json_each(?4))
order by created_at desc, id

-- name: items_by_age
-- One space from newest to oldest, past a place.
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where space = ?1
  and created_at <= ?2
  and (created_at < ?2 or id >= ?3)
order by created_at desc, id

-- name: items_by_value
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where space = ?1
  and value = ?2
  and deleted = 0
  and status in ('approved', 'pending')

-- name: items_by_values
-- The same of pairs of a space and a value.
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where (space, value) in (select pair.value ->> 0, unhex(pair.value ->> 1) from json_each(?1) as pair)
  and deleted = 0
  and status in ('approved', 'pending')

-- name: items_by_values_in_any_state
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where space = ?1
  and value in (select unhex(one.value) from json_each(?2) as one)

-- name: turns_before
-- The turns of a conversation from the last to the first, before one of them if it is named.
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where space = ?1
  and conversation = ?2
  and (?3 is null or no < (select no from item where space = ?1 and id = ?3))
order by no desc

-- name: turns_after
-- The turns of a conversation after one of them, from the first to the last.
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where space = ?1
  and conversation = ?2
  and no > (select no from item where space = ?1 and id = ?3)
order by no

-- name: turns_around
-- For each of some turns, given as a place, a space, a conversation and an id, those in force that this many places
-- before it and after it were said for these partitions, in that order.
select asked.value ->> 0, item.no > turn.no,
  item.no, item.space, cast(item.id as blob), item.partition, cast(item.status as blob), item.deleted, item.created_at,
  item.expires_at, cast(item.source as blob), item.value, item.indexed, cast(item.record as blob), item.seal
from json_each(?1) as asked
join item as turn on turn.space = asked.value ->> 1 and turn.id = asked.value ->> 3
join item on item.no in (
    select no
    from item as before
    where before.space = turn.space
      and before.conversation = asked.value ->> 2
      and before.no < turn.no
      and before.deleted = 0
      and before.status = 'approved'
      and before.partition in (select value from json_each(?2))
    order by no desc
    limit ?3
  )
  or item.no in (
    select no
    from item as after
    where after.space = turn.space
      and after.conversation = asked.value ->> 2
      and after.no > turn.no
      and after.deleted = 0
      and after.status = 'approved'
      and after.partition in (select value from json_each(?2))
    order by no
    limit ?4
  )
order by 1, item.no

-- name: values_of_space
select value
from item
where space = ?1
order by value
limit ?2

-- name: items_derived
-- What was made from memories, in their own space.
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where no in (
  select lineage.child
  from lineage
  join item as made on made.no = lineage.child and made.space = lineage.space
  where lineage.space in (select value from json_each(?1))
    and lineage.parent in (select value from json_each(?2))
)

-- name: items_derived_not_in_force
-- Those of them that are not in force. Their index entries are gone, so most are passed over without being read.
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where no in (
  select lineage.child
  from lineage
  join item as made on made.no = lineage.child and made.space = lineage.space
  where lineage.space in (select value from json_each(?1))
    and lineage.parent in (select value from json_each(?2))
    and made.indexed = 0
)

-- name: items_promoted
-- The copies of memories that were promoted out of their space, wherever they are.
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where no in (
  select lineage.child
  from lineage
  join item as made on made.no = lineage.child and made.space <> lineage.space
  where lineage.space in (select value from json_each(?1))
    and lineage.parent in (select value from json_each(?2))
)

-- name: first_overdue
select min(item.expires_at)
from space
join item on item.space = space.no
where space.id in (select unhex(value) from json_each(?1))
  and item.expires_at is not null
  and item.deleted = 0

-- name: items_overdue
select item.no, item.space, cast(item.id as blob), item.partition, cast(item.status as blob), item.deleted,
  item.created_at, item.expires_at, cast(item.source as blob), item.value, item.indexed, cast(item.record as blob),
  item.seal
from space
join item on item.space = space.no
where space.id in (select unhex(value) from json_each(?1))
  and item.expires_at <= ?2
  and item.deleted = 0

-- name: items_of_groups
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where partition_group in (select value from json_each(?1))

-- name: items_in_spaces
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where space in (select value from json_each(?1))

-- name: items_in_quarantine
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from quarantine
join item on item.no = quarantine.item

-- name: items_after
-- Some of all memories, by number: who goes through them all may change them on the way.
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where no > ?1
order by no
limit ?2

-- name: items_of_space
-- The same of one space, by name.
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where space = ?1
  and id > cast(?2 as text)
order by id
limit ?3

-- name: item_for_change
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where space = ?1
  and id = ?2

-- name: items_to_erase
-- Several memories of a space, with the partition group of each.
select no, space, cast(id as blob), partition, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal, partition_group
from item
where space = ?1
  and id in (select value from json_each(?2))

-- name: add_item
insert into item
  (space, id, partition, status, deleted, created_at, expires_at, source, value, indexed, record, seal, partition_group,
  conversation)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)

-- name: change_item
update item
set partition = ?3,
    status = ?4,
    deleted = ?5,
    created_at = ?6,
    expires_at = ?7,
    source = ?8,
    value = ?9,
    indexed = ?10,
    record = ?11,
    seal = ?12,
    partition_group = coalesce(?13, partition_group)
where space = ?1
  and id = ?2

-- name: group_of_item
select partition_group
from item
where no = ?1

-- name: set_group_of_item
update item
set partition_group = ?2
where no = ?1

-- name: drop_items
delete from item
where no in carray(?1)

-- name: add_lineage
insert or ignore into lineage (space, parent, child)
values (?1, ?2, ?3)

-- name: drop_lineage
-- What a memory was made from in its own space. Where it was promoted from does not change.
delete from lineage
where space = ?1
  and child = ?2

-- name: all_lineage
-- Which memory was made from which, and whether it is from the same space.
select lineage.space, cast(lineage.parent as blob), lineage.child, lineage.space is item.space
from lineage
left join item on item.no = lineage.child

-- name: drop_lineage_of_children
delete from lineage
where child in carray(?1)

-- name: author_sequence
-- How far an author's sequence has come, and how many of it are in force.
select next, live
from author_sequence
where partition = ?1
  and author = ?2
  and kind = ?3

-- name: set_author_sequence
insert into author_sequence (partition, author, kind, next, live)
values (?1, ?2, ?3, ?4, ?5)
on conflict (partition, author, kind) do update set next = excluded.next, live = excluded.live

-- name: clear_author_counts
update author_sequence
set live = 0

-- name: count_by_kind
select kind, live
from author_sequence
where partition = ?1
  and author = ?2
  and live > 0

-- name: all_author_sequences
select partition, author, kind, next, live
from author_sequence

-- name: count_of_author
select partition.readers, sum(author_sequence.live)
from author_sequence
join partition on partition.no = author_sequence.partition
where author_sequence.author = ?1
  and author_sequence.kind <> 'short_term'
group by partition.readers

-- name: spaces_of_author
select space.coordinates, partition.readers
from author_sequence
join partition on partition.no = author_sequence.partition
join space on space.no = partition.space
where author_sequence.author = ?1
  and author_sequence.kind <> 'short_term'
  and author_sequence.live > 0
group by partition.no

-- name: origins
-- Where a memory came from that lies in another space than what it came from.
select space.coordinates, lineage.parent
from item
join lineage on lineage.child = item.no and lineage.space <> item.space
join space on space.no = lineage.space
where item.space = ?1
  and item.id = ?2

-- name: phases_in
select phase.space, phase.place, phase.record, phase.seal
from phase
where phase.space in (select value from json_each(?1))
order by phase.space, phase.place

-- name: all_phases
select space, place, record, seal
from phase

-- name: put_phase
insert into phase (space, place, record, seal)
values (?1, ?2, ?3, ?4)
on conflict (space, place) do update set record = excluded.record, seal = excluded.seal

-- name: drop_phases
delete from phase
where space = (select no from space where id = ?1)
  and place <= ?2

-- name: phases_begun
select value
from meta
where name = 'phases'

-- name: bump_phases
update meta
set value = value + 1
where name = 'phases'

-- name: put_policy
insert into policy (digest, document, seal)
values (?1, ?2, ?3)
on conflict (digest) do update set document = excluded.document, seal = excluded.seal

-- name: policy
select digest, document, seal
from policy
where digest = coalesce(?1, (select value from meta where name = 'policy'))

-- name: any_policy
select exists (select 1 from policy)

-- name: all_policies
select digest, document, seal
from policy

-- name: rejected_value
select authority, seal
from rejected_value
where space = ?1
  and readers = ?2
  and value = ?3

-- name: rejected_values_among
-- Of pairs of a space and a value, those that were rejected, for any readers.
select space, readers, value, authority, seal
from rejected_value
where (space, value) in (
  select pair.value ->> 0, unhex(pair.value ->> 1)
  from json_each(?1) as pair
)

-- name: ended_values_among
-- Of pairs of a space and a value, those whose memories were forgotten or erased, for any readers.
select space, readers, value, audience, authority, ended_at, seal
from ended_value
where (space, value) in (
  select pair.value ->> 0, unhex(pair.value ->> 1)
  from json_each(?1) as pair
)

-- name: has_rejected_values
select exists (select 1 from rejected_value where space = ?1)
    or exists (select 1 from ended_value where space = ?1)

-- name: put_rejected_value
insert into rejected_value (space, readers, value, authority, seal)
values (?1, ?2, ?3, ?4, ?5)
on conflict (space, value, readers) do update set authority = excluded.authority, seal = excluded.seal

-- name: put_ended_value
insert into ended_value (space, readers, value, audience, authority, ended_at, seal)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7)
on conflict (space, value, readers, audience)
do update set authority = excluded.authority, ended_at = excluded.ended_at, seal = excluded.seal

-- name: all_ended_values
select space, readers, value, audience, authority, ended_at, seal
from ended_value

-- name: drop_ended_value
delete from ended_value
where space = (select no from space where id = ?1)
  and readers = ?2
  and value = ?3
  and audience = ?4

-- name: all_rejected_values
select space, readers, value, authority, seal
from rejected_value

-- name: drop_rejected_value
delete from rejected_value
where space = (select no from space where id = ?1)
  and readers = ?2
  and value = ?3

-- name: directory_version
select value
from meta
where name = 'directory'

-- name: bump_directory
update meta
set value = value + 1
where name = 'directory'

-- name: get_meta
select value
from meta
where name = ?1

-- name: set_meta
insert into meta (name, value)
values (?1, ?2)
on conflict (name) do update set value = excluded.value

-- name: drop_meta
delete from meta
where name = ?1

-- name: server_seconds
select unixepoch('subsec')

-- name: take_lease
insert into meta (name, value)
values (?1, json_object('holder', ?2, 'until', ?3))
on conflict (name) do update set value = excluded.value
where meta.value ->> 'holder' = ?2
returning name

-- name: give_back_lease
delete from meta
where name = ?1
  and value ->> 'holder' = ?2

-- name: drop_ended_leases
delete from meta
where name > ?1
  and name < ?2
  and value ->> 'until' < ?3

-- name: count_leases
select count(*)
from meta
where name >= ?1
  and name < ?2
  and value ->> 'until' >= ?3

-- name: agent
select owner
from agent
where id = ?1

-- name: agents_of
select id
from agent
where owner = ?1
order by id
limit ?2

-- name: put_agent
insert into agent (id, owner)
values (?1, ?2)
on conflict (id) do update set owner = excluded.owner

-- name: chat
select kind
from chat
where id = ?1

-- name: put_chat
insert into chat (id, kind)
values (?1, ?2)
on conflict (id) do update set kind = excluded.kind

-- name: members
select kind, name
from member
where level = ?1
  and id = ?2

-- name: put_member
insert into member (level, id, kind, name, trust)
values (?1, ?2, ?3, ?4, ?5)
on conflict (level, id, kind, name) do update set trust = excluded.trust

-- name: trust
select trust
from member
where level = ?1
  and id = ?2
  and kind = ?3
  and name = ?4

-- name: drop_member
delete from member
where level = ?1
  and id = ?2
  and kind = ?3
  and name = ?4

-- name: drop_members
delete from member
where level = ?1
  and id = ?2
  and kind <> ''

-- name: groups_of
-- The groups that a user or an agent is in.
select level, id
from member
where kind = ?1
  and name = ?2

-- name: share
select record
from share
where id = ?1

-- name: shares_with
select record
from share
where reader_kind = ?1
  and reader = ?2
order by id

-- name: shares_of_spaces
select record
from share
where space in (select unhex(value) from json_each(?1))
order by id

-- name: put_share
insert into share (id, space, reader_kind, reader, record)
values (?1, ?2, ?3, ?4, ?5)
on conflict (id) do update set
  space = excluded.space,
  reader_kind = excluded.reader_kind,
  reader = excluded.reader,
  record = excluded.record

-- name: agents_after
select id, owner
from agent
where id >= ?1
  and (id > ?1 or ?2)
order by id
limit ?3

-- name: chats_after
select id, kind
from chat
where id >= ?1
  and (id > ?1 or ?2)
order by id
limit ?3

-- name: members_after
select level, id, kind, name, trust
from member
where (level, id, kind, name) >= (?1, ?2, ?3, ?4)
  and ((level, id, kind, name) > (?1, ?2, ?3, ?4) or ?5)
order by level, id, kind, name
limit ?6

-- name: shares_after
select id, space, reader_kind, reader, record
from share
where id >= ?1
  and (id > ?1 or ?2)
order by id
limit ?3

-- name: drop_share
delete from share
where id = ?1

-- name: put_access_key
insert into access_key (id, record, seal)
values (?1, ?2, ?3)
on conflict (id) do update set record = excluded.record, seal = excluded.seal

-- name: touch_access_key
update access_key
set last_used = ?2
where id = ?1

-- name: access_key
select last_used, id, record, seal
from access_key
where id = ?1

-- name: access_keys
select last_used, id, record, seal
from access_key
order by id

-- name: all_access_keys
select id, record, seal
from access_key

-- name: reply
select key, fingerprint, at, body
from reply
where key = ?1

-- name: all_replies
select key, fingerprint, at, body
from reply

-- name: all_reply_names
select name, reply
from reply_name

-- name: put_reply
insert into reply (key, fingerprint, at, body)
values (?1, ?2, ?3, ?4)
on conflict (key) do update set fingerprint = excluded.fingerprint, at = excluded.at, body = excluded.body

-- name: put_reply_name
insert into reply_name (name, reply)
values (?1, ?2)
on conflict do nothing

-- name: drop_reply
delete from reply
where key = ?1

-- name: drop_reply_names
delete from reply_name
where reply = ?1

-- name: drop_old_reply_names
delete from reply_name
where reply in (select key from reply where at < ?1)

-- name: drop_old_replies
delete from reply
where at < ?1

-- name: empty_replies
update reply
set body = null
where key in (select reply from reply_name where name in (select value from json_each(?1)))

-- name: drop_reply_names_of
delete from reply_name
where reply in (select reply from reply_name where name in (select value from json_each(?1)))

-- name: sources_in
select space, id, record, seal
from source
where space in (select value from json_each(?1))

-- name: all_sources
select space, id, record, seal
from source

-- name: put_source
insert into source (space, id, record, seal)
values (?1, ?2, ?3, ?4)
on conflict (space, id) do update set record = excluded.record, seal = excluded.seal

-- name: drop_source
delete from source
where space = (select no from space where id = ?1)
  and id = ?2

-- name: queued_turns_in
select space, turn, queued_at, due_at, record, seal
from queued_turn
where space in (select value from json_each(?1))
order by queued_at

-- name: queued_turns_by_id
select space, turn, queued_at, due_at, record, seal
from queued_turn
where space in (select value from json_each(?1))
  and turn in (select value from json_each(?2))
order by queued_at

-- name: all_queued_turns
select space, turn, queued_at, due_at, record, seal
from queued_turn

-- name: due_turns
-- Turns that are to be tried by now, said here or from a file: the first of each space, then the second of each.
select due.space, due.turn, due.queued_at, due.due_at, due.record, due.seal
from (
  select queued_turn.*,
    row_number() over (partition by queued_turn.space order by queued_turn.queued_at, queued_turn.turn) as place
  from queued_turn
  left join item on item.space = queued_turn.space and item.id = queued_turn.turn
  where queued_turn.due_at <= ?1 and (item.source is not null) = ?3
) as due
join space on space.no = due.space
order by due.place, due.queued_at, space.id, due.turn
limit ?2

-- name: waiting_turns
-- Turns of a space that were queued at this time or later, and were not given up.
select space, turn, queued_at, due_at, record, seal
from queued_turn
where space = (select no from space where id = ?1)
  and queued_at >= ?2
  and due_at is not null
order by queued_at, turn
limit ?3

-- name: count_queued_turns
select count(due_at), count(*) - count(due_at)
from queued_turn

-- name: put_queued_turn
insert into queued_turn (space, turn, queued_at, due_at, record, seal)
values (?1, ?2, ?3, ?4, ?5, ?6)
on conflict (space, turn)
do update set queued_at = excluded.queued_at, due_at = excluded.due_at, record = excluded.record, seal = excluded.seal

-- name: drop_queued_turn
delete from queued_turn
where space = ?1
  and turn = ?2

-- name: drop_queued_turns
-- Those among several memories of a space that are turns and wait.
delete from queued_turn
where space = ?1
  and turn in (select value from json_each(?2))

-- name: erasures_after
select id, at, pending, record, seal
from erasure
where (at, id) > (?1, ?2)
order by at, id
limit ?3

-- name: erasures
select id, at, pending, record, seal
from erasure
order by at, id

-- name: put_erasure
insert into erasure (id, at, pending, record, seal)
values (?1, ?2, ?3, ?4, ?5)
on conflict (id) do update set
  at = excluded.at,
  pending = excluded.pending,
  record = excluded.record,
  seal = excluded.seal

-- name: quarantine
insert or ignore into quarantine (item, name, found_at)
values (?1, ?2, ?3)

-- name: release_from_quarantine
delete from quarantine
where item = ?1

-- name: chain
select no, length, head, seal
from chain
where kind = ?1
  and key = ?2

-- name: add_chain
insert into chain (kind, key, length, head, seal)
values (?1, ?2, 0, ?3, x'')

-- name: chains_after
select no, kind, key, length, head, seal
from chain
where (kind, key) >= (?1, ?2)
  and ((kind, key) > (?1, ?2) or ?3)
order by kind, key
limit ?4

-- name: all_chains
select no, kind, key, length, head, seal
from chain
order by kind, key

-- name: set_chain_head
update chain
set length = ?2,
    head = ?3,
    seal = ?4
where no = ?1

-- name: add_event
insert into event (chain, number, body, hash)
values (?1, ?2, ?3, ?4)

-- name: events
select number, body, hash
from event
where chain = ?1
  and number > ?2
order by number

-- name: add_checkpoint
insert or ignore into checkpoint (chain, number, head, at, signature)
values (?1, ?2, ?3, ?4, ?5)

-- name: checkpoints_after
select number, head, at, signature
from checkpoint
where chain = ?1
  and number > ?2
order by number
limit ?3

-- name: chains_to_sign
select no, kind, key, length, head, seal
from chain
where not exists (
  select 1
  from checkpoint
  where checkpoint.chain = chain.no
    and checkpoint.number = chain.length
)

-- name: count_items
select count(*)
from item

-- name: count_spaces
select count(*)
from space

-- name: count_links
select coalesce(sum(length), 0)
from chain

-- name: make_backup_note
-- What a backup says about itself; a store has no such table.
create table backup_note (name text primary key, value) without rowid

-- name: has_backup_note
select count(*)
from sqlite_schema
where name = 'backup_note'

-- name: put_backup_note
insert into backup_note (name, value)
values (?1, ?2)

-- name: backup_note
select value
from backup_note
where name = ?1

-- name: drop_backup_note
drop table backup_note

-- name: entries_without_memory
-- Entries that belong to no memory of their partition.
select count(*)
from entry
join partition_group on partition_group.no = entry.partition_group and partition_group.person is null
left join item on item.no = entry.item and item.partition = entry.partition and item.indexed = entry.stamp
where item.no is null

-- name: items_without_entry
-- Memories in force that have no entry.
select cast(item.id as blob)
from item
join partition on partition.no = item.partition
left join entry on entry.partition_group = partition.partition_group
  and entry.stamp = item.indexed
  and entry.item = item.no
where item.indexed > 0
  and entry.item is null

-- name: all_entries
select partition_group, stamp, item, partition, length, expires_at, terms, counts, speaker, day, in_talk, name, turn,
  may_replace, traits, vector, change_keys, seal
from entry

-- name: all_change_keys
select partition_group, change_key, item
from change_key

-- name: people_by_id
select id, home, record, seal
from person
where id in (select value from json_each(?2))
  and home in (select value from json_each(?1))
order by id

-- name: any_person
select exists (select 1 from person where home in (select value from json_each(?1)))

-- name: people_named
select distinct person.id, person.home, person.record, person.seal
from person_name
join person on person.id = person_name.person
where person_name.name in (select value from json_each(?2))
  and person.home in (select value from json_each(?1))
order by person.id

-- name: people_after
select id, home, record, seal
from person
where home in (select value from json_each(?1))
  and id > ?2
order by id

-- name: all_people
select id, home, record, seal
from person

-- name: put_person
insert into person (id, home, record, seal)
values (?1, ?2, ?3, ?4)
on conflict (id) do update set home = excluded.home, record = excluded.record, seal = excluded.seal

-- name: drop_person
delete from person
where id = ?1

-- name: add_person_name
insert into person_name (name, person)
values (?1, ?2)

-- name: drop_person_names
delete from person_name
where person = ?1

-- name: clear_person_names
delete from person_name

-- name: all_person_names
select name, person
from person_name

-- name: next_person_number
select next
from person_sequence
where home = ?1
  and readers = ?2
  and creator = ?3

-- name: all_person_sequences
select home, readers, creator, next
from person_sequence

-- name: grow_person_sequence
insert into person_sequence (home, readers, creator, next)
values (?1, ?2, ?3, ?4)
on conflict (home, readers, creator) do update set next = max(next, excluded.next)

-- name: relations_of
select id, home, from_person, to_person, record, seal
from relation
where (from_person in (select value from json_each(?2)) or to_person in (select value from json_each(?2)))
  and home in (select value from json_each(?1))
order by id

-- name: relations_after
select id, home, from_person, to_person, record, seal
from relation
where home in (select value from json_each(?1))
  and id > ?2
order by id
limit ?3

-- name: all_relations
select id, home, from_person, to_person, record, seal
from relation

-- name: put_relation
insert into relation (id, home, from_person, to_person, record, seal)
values (?1, ?2, ?3, ?4, ?5, ?6)
on conflict (id) do update set
  home = excluded.home,
  from_person = excluded.from_person,
  to_person = excluded.to_person,
  record = excluded.record,
  seal = excluded.seal

-- name: drop_relation
delete from relation
where id = ?1

-- name: drop_subjects_of_item
delete from subject
where item = ?1
returning person

-- name: clear_entries
delete from entry

-- name: clear_removed_entries
delete from removed_entry

-- name: clear_change_keys
delete from change_key

-- name: clear_tick_expiries
delete from tick_expiry

-- name: clear_subjects
delete from subject

-- name: clear_lineage
-- What memories were made from in their own space. Where one was promoted from, only this table says.
delete from lineage
where space = (select item.space from item where item.no = lineage.child)

-- name: clear_checkpoints
delete from checkpoint

-- name: clear_rejected_values
delete from rejected_value

-- name: clear_ended_values
delete from ended_value

-- Every statement the PostgreSQL store runs, by name. `?1` is a bound value, and `?1.2` a list of the second parts of a
-- list of pairs. `@1` is the space in which a value lies (or a list of spaces): that of a number, or of a digest.
-- `@person1` stands for the person named by a value, `@chain` for the chain of a kind and a key, `@about1` for the spaces
-- of memories about persons, and `@0` for the directory. `#1` is a new number in that space.
--
-- Every table is named with its space, so that a statement goes to one part of the tables. Those that cannot, because
-- they are for maintenance or follow a person or an author through all spaces, say `(whole store)`; they run in the role
-- for upkeep. Those that say `(to change)` read what a write is about to change, and lock its space first.

-- name: spaces_about
-- The spaces of memories about persons.
select item_space
from subject
where space = any(@person1)
  and person = any(?1)
union
select home_space
from disclosed_partition
where space = any(@person1)
  and person = any(?1)

-- name: spaces_of_numbers (whole store)
select no, space
from space_lock
where no = any(?1)

-- name: lock_spaces
select space, no, version, last
from space_lock
where space = any(?1)
order by space
for update

-- name: lock_free_spaces
-- Those that nobody else has locked.
select space, no, version, last
from space_lock
where space = any(?1)
order by space
for update skip locked

-- name: locked_spaces
select space
from space_lock
where space = any(?1)

-- name: lock_store
lock table space_lock in exclusive mode

-- name: add_space_locks
insert into space_lock (space, no)
select asked.space, asked.no
from unnest(?1::uuid[], ?2::bigint[]) as asked (space, no)
order by asked.space
on conflict do nothing

-- name: set_space_locks
update space_lock
set version = space_lock.version + 1,
    last = changed.last
from unnest(?1::uuid[], ?2::bigint[]) as changed (space, last)
where space_lock.space = changed.space
  and space_lock.space = any(?1::uuid[])

-- name: version_of_space
select version
from space_lock
where space = @1

-- name: bump_all_versions (whole store)
update space_lock
set version = version + 1

-- name: take_space_numbers
-- Set numbers of spaces aside for a process.
update meta
set value = to_jsonb((value #>> '{}')::bigint + ?1::bigint)
where space = @0
  and name = 'last_space'
returning (value #>> '{}')::bigint

-- name: space_no
select no
from space
where space = @1
  and id = ?1

-- name: add_space
insert into space (space, no, id, coordinates, owner)
values (@1, #1, ?1, ?2::text, (?2::text)::json ->> 'user')
on conflict do nothing
returning no

-- name: all_spaces (whole store)
select no, id, coordinates
from space

-- name: drop_space (whole store)
delete from space
where no = ?1
  or id = ?2

-- name: restore_space
insert into space (space, no, id, coordinates, owner)
values (@2, ?1, ?2, ?3::text, (?3::text)::json ->> 'user')

-- name: spaces_after (whole store)
-- A page of spaces: after an id, or from it on.
select id, coordinates
from space
where id >= ?1
  and (id > ?1 or ?2::boolean)
order by id
limit ?3

-- name: spaces_of_user_after (whole store)
select id, coordinates
from space
where owner = ?1
  and id >= ?2
  and (id > ?2 or ?3::boolean)
order by id
limit ?4

-- name: partition_no (to change)
select no, partition_group
from partition
where space = @1
  and readers = ?2
  and audience = ?3

-- name: partition_group_no (to change)
select no
from partition_group
where space = @1
  and home = ?1
  and readers = ?2

-- name: add_partition_group
insert into partition_group (space, no, home, readers)
values (@1, #1, ?1, ?2)
on conflict do nothing
returning no

-- name: partition_groups (whole store)
select no, home, readers, person
from partition_group

-- name: all_partition_groups (whole store)
select no, home, readers, person, stamp, entries, memories
from partition_group
order by no

-- name: drop_damaged_partition_groups (whole store)
-- Those that are neither of a space and its readers, nor of a person.
delete from partition_group
where (home is null) <> (readers is null)
  or (home is null) = (person is null)

-- name: partition_groups_of_people
select person, no
from partition_group
where space = any(@person1)
  and person = any(?1)

-- name: partition_group_of_person (to change)
select no
from partition_group
where space = @person1
  and person = ?1

-- name: add_partition_group_of_person
insert into partition_group (space, no, person)
values (@person1, #person1, ?1)
on conflict do nothing
returning no

-- name: group_counts (to change)
select stamp, entries, memories
from partition_group
where space = @1
  and no = ?1

-- name: set_group_counts
update partition_group
set stamp = ?2,
    entries = ?3,
    memories = ?4
where space = @1
  and no = ?1

-- name: all_group_counts (whole store)
-- What each partition group counts, and what is there: its last stamp, its entries, and its memories or those about its
-- person.
select partition_group.no, partition_group.stamp, partition_group.entries, partition_group.memories,
  (
    select max(stamp)
    from (
      select max(stamp) as stamp
      from entry
      where entry.space = partition_group.space and entry.partition_group = partition_group.no
      union all
      select max(stamp)
      from removed_entry
      where removed_entry.space = partition_group.space and removed_entry.partition_group = partition_group.no
    ) as stamps
  ),
  (select count(*) from entry where entry.space = partition_group.space and entry.partition_group = partition_group.no),
  case
    when partition_group.person is null then (
      select count(*)
      from item
      where item.space = partition_group.space and item.partition_group = partition_group.no
    )
    else (
      select count(*)
      from subject
      where subject.space = partition_group.space and subject.person = partition_group.person
    )
  end
from partition_group

-- name: count_items_of_groups
select partition_group.no, partition_group.memories,
  (
    select count(*)
    from item
    where item.space = partition_group.space and item.partition_group = partition_group.no
  )
from partition_group
where partition_group.space = any(@1)
  and partition_group.no = any(?1::bigint[])

-- name: subjects_counted
-- How many memories in force are about each of some persons, as they were counted and as they are listed.
select
  coalesce(
    (
      select memories
      from partition_group
      where partition_group.space = asked.space and partition_group.person = asked.person
    ),
    0
  ),
  (
    select count(*)
    from subject
    join item on item.space = subject.item_space and item.no = subject.item
    where subject.space = asked.space
      and subject.person = asked.person
      and item.space = any(@about1)
  )
from unnest(@person1, ?1::text[]) as asked (space, person)

-- name: next_partition
-- The number of a new partition in a space.
select #1

-- name: add_partition
insert into partition (space, no, home, readers, audience, partition_group, seal)
values (@2, ?1, ?2, ?3, ?4, ?5, ?6)
on conflict do nothing
returning no

-- name: all_partitions (whole store)
select no, home, readers, audience, partition_group, seal
from partition
order by no

-- name: drop_partition
delete from partition
where space = @1
  and no = ?1

-- name: drop_partition_at
delete from partition
where space = @1
  and readers = ?2
  and audience = ?3

-- name: add_partition_reader
insert into partition_reader (space, no, home, reader, partition, next_reader, next_partition)
values (@1, #1, ?1, ?2, ?3, ?4, ?5)
on conflict do nothing
returning no

-- name: partition_reader_before
-- The last row of a space before a place.
select no, next_reader, next_partition
from partition_reader
where space = @1
  and (reader, partition) < (?2::text, ?3::bigint)
order by reader desc, partition desc
limit 1

-- name: set_next_partition_reader
update partition_reader
set next_reader = ?2,
    next_partition = ?3
where space = @1
  and no = ?1

-- name: all_partition_readers (whole store)
select home, reader, partition, next_reader, next_partition
from partition_reader
order by home, reader, partition

-- name: clear_partition_readers (whole store)
delete from partition_reader

-- name: partition_group
select partition_group
from partition
where space = @1
  and no = ?1

-- name: partitions_of_readers
-- The one clause that turns a sight into rows: exactly the named spaces, and in them what these readers are named by. No
-- names, no rows.
select space.id, listed.reader, listed.partition, listed.next_reader, listed.next_partition,
  partition.no, partition.home, partition.readers, partition.audience, partition.partition_group, partition.seal,
  partition_group.stamp, partition_group.entries
from space
join partition_reader as listed on listed.space = space.space
  and listed.reader = any(?2::text[])
left join partition on partition.space = listed.space
  and partition.no = listed.partition
left join partition_group on partition_group.space = partition.space
  and partition_group.no = partition.partition_group
where space.space = any(@1)
  and space.id = any(?1::bytea[])
order by space.id, listed.reader, listed.partition

-- name: partition_readers_before
-- The rows before those of readers in each of some spaces, to see that no row is missing between.
select space.id, asked.reader, before.next_reader, before.next_partition, before.no
from space
cross join unnest(?2::text[]) as asked (reader)
left join lateral (
  select partition_reader.next_reader, partition_reader.next_partition, partition_reader.no
  from partition_reader
  where partition_reader.space = space.space
    and partition_reader.reader < asked.reader
  order by partition_reader.reader desc, partition_reader.partition desc
  limit 1
) as before on true
where space.space = any(@1)
  and space.id = any(?1::bytea[])

-- name: partitions_of_spaces
-- The same for whoever sees all of these spaces.
select space.id, listed.reader, listed.partition, listed.next_reader, listed.next_partition,
  partition.no, partition.home, partition.readers, partition.audience, partition.partition_group, partition.seal,
  partition_group.stamp, partition_group.entries
from space
join partition_reader as listed on listed.space = space.space
left join partition on partition.space = listed.space
  and partition.no = listed.partition
left join partition_group on partition_group.space = partition.space
  and partition_group.no = partition.partition_group
where space.space = any(@1)
  and space.id = any(?1::bytea[])
order by space.id, listed.reader, listed.partition

-- name: any_lost_space
-- Whether one of these spaces has memories, and no row of its own or no partitions.
select exists (
  select 1
  from unnest(@1, ?1::bytea[]) as asked (space, id)
  where not exists (
      select 1
      from space
      join partition_reader on partition_reader.space = space.space
      where space.space = asked.space
        and space.id = asked.id
        and partition_reader.reader = ''
        and partition_reader.partition = 0
    )
    and exists (select 1 from item where item.space = asked.space)
)

-- name: spaces_without_row (whole store)
-- Numbers of spaces that memories are in and no row tells of.
select item.no & -4294967296
from item
where not exists (select 1 from space where space.space = item.space)
limit 1

-- name: set_tick
update partition
set tick = ?2
where space = @1
  and no = ?1

-- name: partition_at
-- The numbers of a space, a partition in it and its partition group, by the digest of the space.
select space.no, partition.no, partition.partition_group
from partition
join space on space.space = partition.space
where space.space = @1
  and space.id = ?1
  and partition.readers = ?2
  and partition.audience = ?3

-- name: tick
select tick
from partition
where space = @1
  and no = ?1

-- name: add_tick_expiry
insert into tick_expiry (space, item, partition, tick)
values (@1, ?1, ?2, ?3)

-- name: all_tick_expiries (whole store)
select item, partition, tick
from tick_expiry

-- name: drop_tick_expiry
delete from tick_expiry
where space = @1
  and item = ?1

-- name: drop_tick_expiries
delete from tick_expiry
where space = any(@1)
  and item = any(?1::bigint[])

-- name: next_tick_expiry
select min(tick)
from tick_expiry
where space = @1
  and partition = ?1

-- name: items_expired_by_tick
select {item}
from item
where space = @1
  and no = any(array(select item from tick_expiry where space = @1 and partition = ?1 and tick <= ?2))

-- name: items_by_importance
-- The memories in force on a partition that were made by a moment, the least important first, or simply the oldest. A
-- damaged record that is no JSON any more must not keep the others from being read.
select {item}
from item
where space = @1
  and partition = ?1
  and indexed > 0
  and created_at <= ?3
order by case when not ?2::boolean and record is json then (record::json ->> 'importance')::float8 end nulls first,
  created_at, id

-- name: items_of_author (whole store)
-- The same of one author in every partition that has something lasting of theirs, by number: sorting whole rows takes
-- twice as long. Others of the same name, and turns, come along and are left out later.
select item.no
from author_sequence
join item on item.space = author_sequence.space
  and item.partition = author_sequence.partition
where author_sequence.author = ?1
  and author_sequence.kind <> 'short_term'
  and author_sequence.live > 0
  and item.indexed > 0
  and item.created_at <= ?3
  and case when item.record is json then item.record::json #>> '{author,id}' end = ?4
group by item.space, item.no
order by case when not ?2::boolean then (item.record::json ->> 'importance')::float8 end nulls first,
  item.created_at, item.id, item.space

-- name: partition_group_at
-- The partition group of a space and a reader list.
select partition_group.no
from partition_group
join space on space.space = partition_group.space
where space.space = @1
  and space.id = ?1
  and partition_group.readers = ?2

-- name: items_with_change_keys
-- Some of the memories in a partition group that have one of these change keys, whichever: sorting takes longer than
-- finding them.
select item
from change_key
where space = @1
  and partition_group = ?1
  and change_key = any(?2::bigint[])
limit ?3

-- name: change_keys_of_partition_group
select distinct change_key
from change_key
where space = @1
  and partition_group = ?1

-- name: latest_items_with_change_keys
select distinct item
from change_key
where space = @1
  and partition_group = ?1
  and change_key = any(?2::bigint[])
order by item desc
limit ?3

-- name: entries
-- What came into a partition group between two stamps, in that order.
select stamp, item, partition, length, expires_at, terms, counts, speaker, day, in_talk, name, turn,
  may_replace, traits, vector, change_keys, seal
from entry
where space = @1
  and partition_group = ?1
  and stamp > ?2
  and stamp <= ?3
order by stamp

-- name: unembedded
-- The memories in partition groups whose vector has another embedder's tag, or this tag but another length than it should
-- have, if that is known; without a tag, those that have a vector.
select item
from entry
where space = any(@1)
  and partition_group = any(?1::bigint[])
  and partition = any(?2::bigint[])
  and case
    when length(?3::bytea) > 0 then
      substring(vector from 1 for length(?3::bytea)) <> ?3::bytea
      or (?4::bigint is not null and length(vector) not in (length(?3::bytea), length(?3::bytea) + ?4::bigint))
    else length(vector) > 0
  end
order by item

-- name: unjudged
-- The memories of partitions, in force or pending, whose sensitivity waits to be judged.
select no
from item
where space = any(@1)
  and partition_group = any(?1::bigint[])
  and partition = any(?2::bigint[])
  and deleted = 0
  and status in ('approved', 'pending')
  and case when record is json then record::json #>> '{judgement,reason}' end = 'not_classified'
order by no

-- name: any_entry_without_memory
-- Whether one of those is of a memory of this space that is not there.
select exists (
  select 1
  from entry
  where entry.space = @1
    and entry.partition_group = ?1
    and entry.stamp > ?2
    and entry.stamp <= ?3
    and entry.item >> 32 = ?1::bigint >> 32
    and not exists (select 1 from item where item.space = @1 and item.no = entry.item)
)

-- name: removed_entries
-- What went out of it between the same.
select stamp, item
from removed_entry
where space = @1
  and partition_group = ?1
  and stamp > ?2
  and stamp <= ?3
order by stamp

-- name: followable_since
select followable_since
from partition_group
where space = @1
  and no = ?1

-- name: add_entry
insert into entry
  (space, partition_group, stamp, item, partition, length, expires_at, terms, counts, speaker, day, in_talk, name,
   turn, may_replace, traits, vector, change_keys, seal)
values (@1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)

-- name: count_entries_of_items
-- How many words and change keys the index has of memories: each is a number of eight bytes.
select coalesce(sum(length(entry.terms) + length(entry.change_keys)), 0)::bigint / 8
from item
join entry on entry.space = item.space
  and entry.partition_group = item.partition_group
  and entry.stamp = item.indexed
where item.space = any(@1)
  and item.id = any(?2::text[])

-- name: drop_entries
-- Those of several memories at once; gives their change keys.
delete from entry
where space = @1
  and partition_group = ?1
  and stamp = any(?2::bigint[])
returning item, change_keys

-- name: entries_of_item (whole store)
select partition_group, stamp
from entry
where item = ?1

-- name: add_removed_entry
insert into removed_entry (space, partition_group, stamp, item)
values (@1, ?1, ?2, ?3)

-- name: drop_removed_entries
delete from removed_entry
where space = @1
  and partition_group = ?1
  and stamp <= ?2

-- name: last_stamp (whole store)
select greatest(
  coalesce((select max(stamp) from partition_group), 0),
  coalesce((select max(stamp) from entry), 0),
  coalesce((select max(stamp) from removed_entry), 0)
)

-- name: restart_partition_groups (whole store)
-- Every partition group empty, after changes that nobody can follow: whoever has a copy reads it anew.
update partition_group
set stamp = ?1,
    followable_since = ?1,
    entries = 0,
    memories = 0

-- name: set_followable_since
update partition_group
set followable_since = ?2
where space = @1
  and no = ?1

-- name: add_change_key
insert into change_key (space, partition_group, change_key, item)
values (@1, ?1, ?2, ?3)
on conflict do nothing

-- name: drop_change_key
delete from change_key
where space = @1
  and partition_group = ?1
  and change_key = ?2
  and item = ?3

-- name: add_subject
insert into subject (space, person, id, item, item_space, disclosed_partition, disclosed_stamp, expires_at)
values (@person1, ?1, ?2, ?3, @3, ?4, ?5, ?6)

-- name: drop_subject
delete from subject
where space = @person1
  and person = ?1
  and id = ?2
  and item = ?3
returning person, item, disclosed_stamp

-- name: disclosed_partition_no (to change)
select no, partition_group
from disclosed_partition
where space = @person1
  and person = ?1
  and home = ?2
  and readers = ?3
  and audience = ?4

-- name: next_disclosed_partition
-- The number of a new partition of what may be disclosed to a person.
select #person1

-- name: add_disclosed_partition
insert into disclosed_partition (space, no, person, home, home_space, readers, audience, partition_group, seal)
values (@person2, ?1, ?2, ?3, @3, ?4, ?5, ?6, ?7)

-- name: all_disclosed_partitions (whole store)
select no, person, home, readers, audience, partition_group, seal
from disclosed_partition
order by no

-- name: drop_disclosed_partition
delete from disclosed_partition
where space = @1
  and no = ?1

-- name: disclosed_partitions
-- The partitions of what may be disclosed to a person.
select disclosed_partition.no, disclosed_partition.person, disclosed_partition.home, disclosed_partition.readers,
  disclosed_partition.audience, disclosed_partition.partition_group, disclosed_partition.seal,
  space.id, space.owner, partition_group.stamp, partition_group.entries
from disclosed_partition
left join partition_group on partition_group.space = disclosed_partition.space
  and partition_group.no = disclosed_partition.partition_group
  and partition_group.person = disclosed_partition.person
left join space on space.space = disclosed_partition.home_space
  and space.space = any(@about1)
where disclosed_partition.space = @person1
  and disclosed_partition.person = ?1

-- name: any_undisclosable
-- Whether a memory about a person, or about anybody, is in none of the partitions of what may be disclosed to them.
select exists (
  select 1
  from subject
  where subject.space = coalesce(@person1, subject.space)
    and subject.person = coalesce(?1, subject.person)
    and subject.disclosed_stamp > 0
    and not exists (
      select 1
      from disclosed_partition
      where disclosed_partition.space = subject.space
        and disclosed_partition.no = subject.disclosed_partition
        and disclosed_partition.person = subject.person
    )
)

-- name: disclosed_among
-- Of some memories, those that are disclosed to persons, in these partitions.
select item
from subject
where space = any(@person1)
  and person = any(?1::text[])
  and disclosed_partition = any(?2::bigint[])
  and item = any(?3::bigint[])
  and disclosed_stamp > 0

-- name: items_disclosed
-- Memories about persons, by id.
select {item}
from item
where space = any(@about1)
  and no = any(array(
    select subject.item
    from subject
    where subject.space = any(@person1)
      and subject.person = any(?1::text[])
      and subject.id = any(?2::text[])
      and subject.disclosed_stamp > 0
  ))

-- name: items_disclosed_by_id (whole store)
-- Memories about anybody, by id.
select {item}
from item
where (space, no) in (
  select subject.item_space, subject.item
  from subject
  where subject.person in (select disclosed_partition.person from disclosed_partition)
    and subject.id = any(?1::text[])
    and subject.disclosed_stamp > 0
)

-- name: items_about
-- Memories in force about persons, from newest to oldest, in visible partitions or disclosed.
select {item}
from item
where space = any(@about1)
  and no = any(array(
    select subject.item
    from subject
    where subject.space = any(@person1)
      and subject.person = any(?1::text[])
  ))
  and (
    partition = any(?2::bigint[])
    or no = any(array(
      select subject.item
      from subject
      where subject.space = any(@person3)
        and subject.person = any(?3::text[])
        and subject.disclosed_partition = any(?4::bigint[])
    ))
  )
order by created_at desc, id, space

-- name: items_about_in_sight
select distinct subject.item
from subject
join item on item.space = subject.item_space
  and item.no = subject.item
where subject.space = any(@person1)
  and subject.person = any(?1::text[])
  and item.space = any(@2)
  and item.partition = any(?2::bigint[])

-- name: all_subjects (whole store)
select person, id, item, expires_at
from subject

-- name: all_subject_rows (whole store)
-- With where each memory may be disclosed.
select person, id, item, disclosed_partition, disclosed_stamp, expires_at
from subject

-- name: disclosed_entries_without_memory (whole store)
-- Entries for disclosing that no memory about that person has.
select count(*)
from entry
join partition_group on partition_group.space = entry.space
  and partition_group.no = entry.partition_group
  and partition_group.person is not null
left join subject on subject.space = partition_group.space
  and subject.person = partition_group.person
  and subject.item = entry.item
  and subject.disclosed_stamp = entry.stamp
left join item on item.space = subject.item_space
  and item.no = subject.item
  and item.id = subject.id
where item.no is null

-- name: disclosed_without_entry (whole store)
-- Memories that may be disclosed but have no entry for it.
select count(*)
from subject
left join partition_group on partition_group.space = subject.space
  and partition_group.person = subject.person
left join entry on entry.space = partition_group.space
  and entry.partition_group = partition_group.no
  and entry.stamp = subject.disclosed_stamp
  and entry.item = subject.item
where subject.disclosed_stamp > 0
  and entry.item is null

-- name: unindex_item
update item
set indexed = 0
where space = @1
  and no = ?1

-- name: partition_ticks (whole store)
select no, tick
from partition

-- name: positions
select item.no, item.partition, item.created_at, item.id, space.id
from item
join space on space.space = item.space
where item.space = any(@1)
  and item.no = any(?1::bigint[])

-- name: items_by_no
select {item}
from item
where space = any(@1)
  and no = any(?1::bigint[])

-- name: items_by_id
select {item}
from item
where space = any(@1)
  and id = any(?2::text[])

-- name: items_by_id_prefix
-- From a name on, in order; those that do not begin with it come after those that do.
select {item}
from item
where space = @1
  and id >= ?2
  and id < ?2::text || '~'
order by id

-- name: items_of_group_by_age
-- One partition group from newest to oldest, past a place, in some states.
select {item}
from item
where space = @1
  and partition_group = ?1
  and created_at <= ?2
  and (created_at < ?2 or id >= ?3)
  and status = any(?4)
order by created_at desc, id

-- name: items_by_age
-- One space from newest to oldest, past a place.
select {item}
from item
where space = @1
  and created_at <= ?2
  and (created_at < ?2 or id >= ?3)
order by created_at desc, id

-- name: items_by_value
select {item}
from item
where space = @1
  and value = ?2
  and deleted = 0
  and status in ('approved', 'pending')

-- name: items_by_values
-- The same of pairs of a space and a value.
select {item}
from item
where space = any(@1.1)
  and (space, value) in (select asked.space, asked.value from unnest(@1.1, ?1.2::bytea[]) as asked (space, value))
  and deleted = 0
  and status in ('approved', 'pending')

-- name: items_by_values_in_any_state
select {item}
from item
where space = @1
  and value in (select decode(one, 'hex') from unnest(?2::text[]) as one)

-- name: turns_before
-- The turns of a conversation from the last to the first, before one of them if it is named.
select {item}
from item
where space = @1
  and conversation = ?2
  and (?3::text is null or no < (select no from item where space = @1 and id = ?3::text))
order by no desc

-- name: turns_after
-- The turns of a conversation after one of them, from the first to the last.
select {item}
from item
where space = @1
  and conversation = ?2
  and no > (select no from item where space = @1 and id = ?3)
order by no

-- name: turns_around
-- For each of some turns, given as a place, a space, a conversation and an id, those in force that this many places
-- before it and after it were said for these partitions, in that order.
select asked.place, near.is_after,
  near.no, near.no & -4294967296, near.id, near.partition, near.status, near.deleted, near.created_at,
  near.expires_at, near.source, near.value, near.indexed, convert_to(near.record, 'UTF8'), near.seal
from unnest(?1.1::bigint[], @1.2, ?1.3::text[], ?1.4::text[]) as asked (place, space, conversation, id)
join item as turn on turn.space = asked.space and turn.id = asked.id
cross join lateral (
  (
    select false as is_after, before.*
    from item as before
    where before.space = asked.space
      and before.conversation = asked.conversation
      and before.no < turn.no
      and before.deleted = 0
      and before.status = 'approved'
      and before.partition = any(?2::bigint[])
    order by before.no desc
    limit ?3
  )
  union all
  (
    select true as is_after, later.*
    from item as later
    where later.space = asked.space
      and later.conversation = asked.conversation
      and later.no > turn.no
      and later.deleted = 0
      and later.status = 'approved'
      and later.partition = any(?2::bigint[])
    order by later.no
    limit ?4
  )
) as near
order by asked.place, near.no

-- name: values_of_space
select value
from item
where space = @1
order by value
limit ?2

-- name: items_derived
-- What was made from memories, in their own space.
select {item}
from item
where space = any(@1)
  and (space, no) in (
    select lineage.space, lineage.child
    from lineage
    where lineage.space = any(@1)
      and lineage.child_space = lineage.space
      and lineage.parent = any(?2::text[])
  )

-- name: items_derived_not_in_force
-- Those of them that are not in force. Their index entries are gone, so most are passed over without being read.
select {item}
from item
where space = any(@1)
  and indexed = 0
  and (space, no) in (
    select lineage.space, lineage.child
    from lineage
    where lineage.space = any(@1)
      and lineage.child_space = lineage.space
      and lineage.parent = any(?2::text[])
  )

-- name: items_promoted (whole store)
-- The copies of memories that were promoted out of their space, wherever they are.
select {item}
from item
where (space, no) in (
  select lineage.child_space, lineage.child
  from lineage
  where lineage.home = any(?1::bigint[])
    and lineage.child_space <> lineage.space
    and lineage.parent = any(?2::text[])
)

-- name: first_overdue
select min(item.expires_at)
from item
where item.space = any(@1)
  and item.expires_at is not null
  and item.deleted = 0

-- name: items_overdue
select {item}
from item
where space = any(@1)
  and expires_at <= ?2
  and deleted = 0

-- name: items_of_groups
select {item}
from item
where space = any(@1)
  and partition_group = any(?1::bigint[])

-- name: items_in_spaces
select {item}
from item
where space = any(@1)

-- name: items_in_quarantine
-- Of some spaces.
select {item}
from item
where space = any(@1)
  and no = any(array(select quarantine.item from quarantine where quarantine.space = any(@1)))

-- name: items_after (whole store)
-- Some of all memories, by number: who goes through them all may change them on the way.
select {item}
from item
where no > ?1
order by no
limit ?2

-- name: items_of_space
-- The same of one space, by name.
select {item}
from item
where space = @1
  and id > ?2
order by id
limit ?3

-- name: item_for_change (to change)
select {item}
from item
where space = @1
  and id = ?2

-- name: items_to_erase (to change)
-- Several memories of a space, with the partition group of each.
select {item}, partition_group
from item
where space = @1
  and id = any(?2::text[])

-- name: add_item
insert into item
  (space, no, id, partition, status, deleted, created_at, expires_at, source, value, indexed, record, seal,
   partition_group, conversation)
values (@1, #1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
on conflict do nothing
returning no

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
where space = @1
  and id = ?2

-- name: group_of_item
select partition_group
from item
where space = @1
  and no = ?1

-- name: set_group_of_item
update item
set partition_group = ?2
where space = @1
  and no = ?1

-- name: drop_items
delete from item
where space = any(@1)
  and no = any(?1::bigint[])

-- name: add_lineage
insert into lineage (space, home, parent, child, child_space)
values (@1, ?1, ?2, ?3, @3)
on conflict do nothing

-- name: drop_lineage
-- What a memory was made from in its own space. Where it was promoted from does not change.
delete from lineage
where space = @1
  and child = ?2

-- name: all_lineage (whole store)
-- Which memory was made from which, and whether it is from the same space.
select lineage.home, lineage.parent, lineage.child, lineage.space = item.space
from lineage
left join item on item.space = lineage.child_space and item.no = lineage.child

-- name: drop_lineage_of_children (whole store)
delete from lineage
where child = any(?1::bigint[])

-- name: author_sequence (to change)
-- How far an author's sequence has come, and how many of it are in force.
select next, live
from author_sequence
where space = @1
  and partition = ?1
  and author = ?2
  and kind = ?3

-- name: set_author_sequence
insert into author_sequence (space, partition, author, kind, next, live)
values (@1, ?1, ?2, ?3, ?4, ?5)
on conflict (space, partition, author, kind) do update set next = excluded.next, live = excluded.live

-- name: clear_author_counts (whole store)
update author_sequence
set live = 0

-- name: count_by_kind
select kind, live
from author_sequence
where space = @1
  and partition = ?1
  and author = ?2
  and live > 0

-- name: all_author_sequences (whole store)
select partition, author, kind, next, live
from author_sequence

-- name: count_of_author (whole store)
select partition.readers, sum(author_sequence.live)::bigint
from author_sequence
join partition on partition.space = author_sequence.space and partition.no = author_sequence.partition
where author_sequence.author = ?1
  and author_sequence.kind <> 'short_term'
group by partition.readers

-- name: spaces_of_author (whole store)
select distinct space.coordinates, partition.readers
from author_sequence
join partition on partition.space = author_sequence.space and partition.no = author_sequence.partition
join space on space.space = partition.space
where author_sequence.author = ?1
  and author_sequence.kind <> 'short_term'
  and author_sequence.live > 0

-- name: origins (whole store)
-- Where a memory came from that lies in another space than what it came from.
select space.coordinates, lineage.parent
from item
join lineage on lineage.child_space = item.space and lineage.child = item.no and lineage.space <> item.space
join space on space.space = lineage.space
where item.no & -4294967296 = ?1
  and item.id = ?2

-- name: phases_in
select home, place, record, seal
from phase
where space = any(@1)
order by home, place

-- name: all_phases (whole store)
select home, place, record, seal
from phase

-- name: put_phase
insert into phase (space, home, place, record, seal)
values (@1, ?1, ?2, ?3, ?4)
on conflict (space, place) do update set record = excluded.record, seal = excluded.seal

-- name: drop_phases
delete from phase
where space = @1
  and place <= ?2

-- name: phases_begun
select value
from meta
where space = @0
  and name = 'phases'

-- name: bump_phases
update meta
set value = to_jsonb((value #>> '{}')::bigint + 1)
where space = @0
  and name = 'phases'

-- name: put_policy
insert into policy (space, digest, document, seal)
values (@0, ?1, ?2, ?3)
on conflict (space, digest) do update set document = excluded.document, seal = excluded.seal

-- name: policy
select digest, document, seal
from policy
where space = @0
  and digest = coalesce(?1, (select value #>> '{}' from meta where space = @0 and name = 'policy'))

-- name: any_policy
select exists (select 1 from policy where space = @0)

-- name: all_policies (whole store)
select digest, document, seal
from policy

-- name: rejected_value
select authority, seal
from rejected_value
where space = @1
  and readers = ?2
  and value = ?3

-- name: rejected_values_among
-- Of pairs of a space and a value, those that were rejected, for any readers.
select home, readers, value, authority, seal
from rejected_value
where space = any(@1.1)
  and (space, value) in (select asked.space, asked.value from unnest(@1.1, ?1.2::bytea[]) as asked (space, value))

-- name: ended_values_among
-- Of pairs of a space and a value, those whose memories were forgotten or erased, for any readers.
select home, readers, value, audience, authority, ended_at, seal
from ended_value
where space = any(@1.1)
  and (space, value) in (select asked.space, asked.value from unnest(@1.1, ?1.2::bytea[]) as asked (space, value))

-- name: has_rejected_values
select exists (select 1 from rejected_value where space = @1)
    or exists (select 1 from ended_value where space = @1)

-- name: put_rejected_value
insert into rejected_value (space, home, readers, value, authority, seal)
values (@1, ?1, ?2, ?3, ?4, ?5)
on conflict (space, value, readers) do update set authority = excluded.authority, seal = excluded.seal

-- name: put_ended_value
insert into ended_value (space, home, readers, value, audience, authority, ended_at, seal)
values (@1, ?1, ?2, ?3, ?4, ?5, ?6, ?7)
on conflict (space, value, readers, audience)
do update set authority = excluded.authority, ended_at = excluded.ended_at, seal = excluded.seal

-- name: all_ended_values (whole store)
select home, readers, value, audience, authority, ended_at, seal
from ended_value

-- name: drop_ended_value
delete from ended_value
where space = @1
  and readers = ?2
  and value = ?3
  and audience = ?4

-- name: all_rejected_values (whole store)
select home, readers, value, authority, seal
from rejected_value

-- name: drop_rejected_value
delete from rejected_value
where space = @1
  and readers = ?2
  and value = ?3

-- name: directory_version
select value
from meta
where space = @0
  and name = 'directory'

-- name: bump_directory
update meta
set value = to_jsonb((value #>> '{}')::bigint + 1)
where space = @0
  and name = 'directory'

-- name: get_meta
select value
from meta
where space = @0
  and name = ?1

-- name: set_meta
insert into meta (space, name, value)
values (@0, ?1, &2)
on conflict (space, name) do update set value = excluded.value

-- name: drop_meta
delete from meta
where space = @0
  and name = ?1

-- name: server_seconds
select extract(epoch from clock_timestamp())::double precision

-- name: take_lease
insert into meta (space, name, value)
values (@0, ?1, jsonb_build_object('holder', ?2::text, 'until', ?3::double precision))
on conflict (space, name) do update set value = excluded.value
where meta.value ->> 'holder' = ?2::text
returning name

-- name: give_back_lease
delete from meta
where space = @0
  and name = ?1
  and value ->> 'holder' = ?2::text

-- name: drop_ended_leases
delete from meta
where space = @0
  and name > ?1
  and name < ?2
  and (value ->> 'until')::double precision < ?3::double precision

-- name: count_leases
select count(*)
from meta
where space = @0
  and name >= ?1
  and name < ?2
  and (value ->> 'until')::double precision >= ?3::double precision

-- name: agent
select owner
from agent
where space = @0
  and id = ?1

-- name: agents_of
select id
from agent
where space = @0
  and owner = ?1
order by id
limit ?2

-- name: put_agent
insert into agent (space, id, owner)
values (@0, ?1, ?2)
on conflict (space, id) do update set owner = excluded.owner

-- name: chat
select kind
from chat
where space = @0
  and id = ?1

-- name: put_chat
insert into chat (space, id, kind)
values (@0, ?1, ?2)
on conflict (space, id) do update set kind = excluded.kind

-- name: members
select kind, name
from member
where space = @0
  and level = ?1
  and id = ?2

-- name: put_member
insert into member (space, level, id, kind, name, trust)
values (@0, ?1, ?2, ?3, ?4, ?5)
on conflict (space, level, id, kind, name) do update set trust = excluded.trust

-- name: trust
select trust
from member
where space = @0
  and level = ?1
  and id = ?2
  and kind = ?3
  and name = ?4

-- name: drop_member
delete from member
where space = @0
  and level = ?1
  and id = ?2
  and kind = ?3
  and name = ?4

-- name: drop_members
delete from member
where space = @0
  and level = ?1
  and id = ?2
  and kind <> ''

-- name: groups_of
-- The groups that a user or an agent is in.
select level, id
from member
where space = @0
  and kind = ?1
  and name = ?2

-- name: share
select record
from share
where space = @0
  and id = ?1

-- name: shares_with
select record
from share
where space = @0
  and reader_kind = ?1
  and reader = ?2
order by id

-- name: shares_of_spaces
select record
from share
where space = @0
  and shared = any(?1::bytea[])
order by id

-- name: put_share
insert into share (space, id, shared, reader_kind, reader, record)
values (@0, ?1, ?2, ?3, ?4, ?5)
on conflict (space, id) do update set
  shared = excluded.shared,
  reader_kind = excluded.reader_kind,
  reader = excluded.reader,
  record = excluded.record

-- name: agents_after
select id, owner
from agent
where space = @0
  and id >= ?1
  and (id > ?1 or ?2::boolean)
order by id
limit ?3

-- name: chats_after
select id, kind
from chat
where space = @0
  and id >= ?1
  and (id > ?1 or ?2::boolean)
order by id
limit ?3

-- name: members_after
select level, id, kind, name, trust
from member
where space = @0
  and (level, id, kind, name) >= (?1::text, ?2::text, ?3::text, ?4::text)
  and ((level, id, kind, name) > (?1::text, ?2::text, ?3::text, ?4::text) or ?5::boolean)
order by level, id, kind, name
limit ?6

-- name: shares_after
select id, shared, reader_kind, reader, record
from share
where space = @0
  and id >= ?1
  and (id > ?1 or ?2::boolean)
order by id
limit ?3

-- name: drop_share
delete from share
where space = @0
  and id = ?1

-- name: put_access_key
insert into access_key (space, id, record, seal)
values (@0, ?1, ?2, ?3)
on conflict (space, id) do update set record = excluded.record, seal = excluded.seal

-- name: touch_access_key
update access_key
set last_used = ?2
where space = @0
  and id = ?1

-- name: access_key
select last_used, id, record, seal
from access_key
where space = @0
  and id = ?1

-- name: access_keys
select last_used, id, record, seal
from access_key
where space = @0
order by id

-- name: all_access_keys
select id, record, seal
from access_key
where space = @0

-- name: reply
select key, fingerprint, at, body
from reply
where space = @0
  and key = ?1

-- name: all_replies
select key, fingerprint, at, body
from reply
where space = @0

-- name: all_reply_names
select name, reply
from reply_name
where space = @0

-- name: put_reply
insert into reply (space, key, fingerprint, at, body)
values (@0, ?1, ?2, ?3, ?4)
on conflict (space, key) do update set fingerprint = excluded.fingerprint, at = excluded.at, body = excluded.body

-- name: put_reply_name
insert into reply_name (space, name, reply)
values (@0, ?1, ?2)
on conflict do nothing

-- name: drop_reply
delete from reply
where space = @0
  and key = ?1

-- name: drop_reply_names
delete from reply_name
where space = @0
  and reply = ?1

-- name: drop_old_reply_names
delete from reply_name
where space = @0
  and reply in (select key from reply where space = @0 and at < ?1)

-- name: drop_old_replies
delete from reply
where space = @0
  and at < ?1

-- name: empty_replies
update reply
set body = null
where space = @0
  and key in (select reply from reply_name where space = @0 and name = any(?1::text[]))

-- name: drop_reply_names_of
delete from reply_name
where space = @0
  and reply in (select reply from reply_name where space = @0 and name = any(?1::text[]))

-- name: sources_in
select home, id, record, seal
from source
where space = any(@1)

-- name: all_sources (whole store)
select home, id, record, seal
from source

-- name: put_source
insert into source (space, home, id, record, seal)
values (@1, ?1, ?2, ?3, ?4)
on conflict (space, id) do update set record = excluded.record, seal = excluded.seal

-- name: drop_source
delete from source
where space = @1
  and id = ?2

-- name: queued_turns_in
select home, turn, queued_at, due_at, record, seal
from queued_turn
where space = any(@1)
order by queued_at

-- name: queued_turns_by_id
select home, turn, queued_at, due_at, record, seal
from queued_turn
where space = any(@1)
  and turn = any(?2::text[])
order by queued_at

-- name: all_queued_turns (whole store)
select home, turn, queued_at, due_at, record, seal
from queued_turn

-- name: due_turns (whole store)
-- Turns that are to be tried by now, said here or from a file: the first of each space, then the second of each.
select due.home, due.turn, due.queued_at, due.due_at, due.record, due.seal
from (
  select queued_turn.*,
    row_number() over (partition by queued_turn.space order by queued_turn.queued_at, queued_turn.turn) as place
  from queued_turn
  left join item on item.space = queued_turn.space and item.id = queued_turn.turn
  where queued_turn.due_at <= ?1 and (item.source is not null) = ?3::boolean
) as due
order by due.place, due.queued_at, due.space, due.turn
limit ?2

-- name: waiting_turns
-- Turns of a space that were queued at this time or later, and were not given up.
select home, turn, queued_at, due_at, record, seal
from queued_turn
where space = @1
  and queued_at >= ?2
  and due_at is not null
order by queued_at, turn
limit ?3

-- name: count_queued_turns (whole store)
select count(due_at), count(*) - count(due_at)
from queued_turn

-- name: put_queued_turn
insert into queued_turn (space, home, turn, queued_at, due_at, record, seal)
values (@1, ?1, ?2, ?3, ?4, ?5, ?6)
on conflict (space, turn)
do update set queued_at = excluded.queued_at, due_at = excluded.due_at, record = excluded.record, seal = excluded.seal

-- name: drop_queued_turn
delete from queued_turn
where space = @1
  and turn = ?2

-- name: drop_queued_turns
-- Those among several memories of a space that are turns and wait.
delete from queued_turn
where space = @1
  and turn = any(?2::text[])

-- name: erasures_after
select id, at, pending, record, seal
from erasure
where space = @0
  and (at, id) > (?1::bigint, ?2::text)
order by at, id
limit ?3

-- name: erasures
select id, at, pending, record, seal
from erasure
where space = @0
order by at, id

-- name: put_erasure
insert into erasure (space, id, at, pending, record, seal)
values (@0, ?1, ?2, ?3, ?4, ?5)
on conflict (space, id) do update set
  at = excluded.at,
  pending = excluded.pending,
  record = excluded.record,
  seal = excluded.seal

-- name: quarantine
insert into quarantine (space, item, name, found_at)
values (@1, ?1, ?2, ?3)
on conflict do nothing

-- name: release_from_quarantine
delete from quarantine
where space = @1
  and item = ?1

-- name: chain (to change)
select no, length, head, seal
from chain
where space = @chain
  and kind = ?1
  and key = ?2

-- name: add_chain
insert into chain (space, no, kind, key, length, head, seal)
values (@chain, #chain, ?1, ?2, 0, ?3, '')
on conflict do nothing
returning no

-- name: chains_after (whole store)
select no, kind, key, length, head, seal
from chain
where (kind, key) >= (?1::text, ?2::bytea)
  and ((kind, key) > (?1::text, ?2::bytea) or ?3::boolean)
order by kind, key
limit ?4

-- name: all_chains (whole store)
select no, kind, key, length, head, seal
from chain
order by kind, key

-- name: set_chain_head
update chain
set length = ?2,
    head = ?3,
    seal = ?4
where space = @1
  and no = ?1

-- name: add_event
insert into event (space, chain, number, body, hash)
values (@1, ?1, ?2, ?3, ?4)

-- name: events
select number, body, hash
from event
where space = @1
  and chain = ?1
  and number > ?2
order by number

-- name: add_checkpoint
insert into checkpoint (space, chain, number, head, at, signature)
values (@1, ?1, ?2, ?3, ?4, ?5)
on conflict do nothing

-- name: checkpoints_after
select number, head, at, signature
from checkpoint
where space = @1
  and chain = ?1
  and number > ?2
order by number
limit ?3

-- name: chains_to_sign (whole store)
select no, kind, key, length, head, seal
from chain
where not exists (
  select 1
  from checkpoint
  where checkpoint.space = chain.space
    and checkpoint.chain = chain.no
    and checkpoint.number = chain.length
)

-- name: count_items (whole store)
select count(*)
from item

-- name: count_spaces (whole store)
select count(*)
from space

-- name: count_links (whole store)
select coalesce(sum(length), 0)::bigint
from chain

-- name: entries_without_memory (whole store)
-- Entries that belong to no memory of their partition.
select count(*)
from entry
join partition_group on partition_group.space = entry.space
  and partition_group.no = entry.partition_group
  and partition_group.person is null
left join item on item.space = entry.space
  and item.no = entry.item
  and item.partition = entry.partition
  and item.indexed = entry.stamp
where item.no is null

-- name: items_without_entry (whole store)
-- Memories in force that have no entry.
select item.id
from item
join partition on partition.space = item.space and partition.no = item.partition
left join entry on entry.space = partition.space
  and entry.partition_group = partition.partition_group
  and entry.stamp = item.indexed
  and entry.item = item.no
where item.indexed > 0
  and entry.item is null

-- name: all_entries (whole store)
select partition_group, stamp, item, partition, length, expires_at, terms, counts, speaker, day, in_talk, name, turn,
  may_replace, traits, vector, change_keys, seal
from entry

-- name: all_change_keys (whole store)
select partition_group, change_key, item
from change_key

-- name: people_by_id
select id, home, record, seal
from person
where space = any(@1)
  and id = any(?2::text[])
order by id

-- name: any_person
select exists (select 1 from person where space = any(@1))

-- name: people_named
select distinct person.id, person.home, person.record, person.seal
from person_name
join person on person.space = person_name.space and person.id = person_name.person
where person_name.space = any(@1)
  and person_name.name = any(?2::text[])
order by person.id

-- name: people_after
select id, home, record, seal
from person
where space = any(@1)
  and id > ?2
order by id

-- name: all_people (whole store)
select id, home, record, seal
from person

-- name: put_person
insert into person (space, id, home, record, seal)
values (@2, ?1, ?2, ?3, ?4)
on conflict (space, id) do update set home = excluded.home, record = excluded.record, seal = excluded.seal

-- name: drop_person (whole store)
delete from person
where id = ?1

-- name: add_person_name (whole store)
insert into person_name (space, name, person)
select space, ?1::text, id
from person
where id = ?2
on conflict do nothing

-- name: drop_person_names (whole store)
delete from person_name
where person = ?1

-- name: clear_person_names (whole store)
delete from person_name

-- name: all_person_names (whole store)
select name, person
from person_name

-- name: next_person_number (to change)
select next
from person_sequence
where space = @1
  and readers = ?2
  and creator = ?3

-- name: all_person_sequences (whole store)
select home, readers, creator, next
from person_sequence

-- name: grow_person_sequence
insert into person_sequence (space, home, readers, creator, next)
values (@1, ?1, ?2, ?3, ?4)
on conflict (space, readers, creator) do update set next = greatest(person_sequence.next, excluded.next)

-- name: relations_of
select id, home, from_person, to_person, record, seal
from relation
where space = any(@1)
  and (from_person = any(?2::text[]) or to_person = any(?2::text[]))
order by id

-- name: relations_after
select id, home, from_person, to_person, record, seal
from relation
where space = any(@1)
  and id > ?2
order by id
limit ?3

-- name: all_relations (whole store)
select id, home, from_person, to_person, record, seal
from relation

-- name: put_relation
insert into relation (space, id, home, from_person, to_person, record, seal)
values (@2, ?1, ?2, ?3, ?4, ?5, ?6)
on conflict (space, id) do update set
  home = excluded.home,
  from_person = excluded.from_person,
  to_person = excluded.to_person,
  record = excluded.record,
  seal = excluded.seal

-- name: drop_relation (whole store)
delete from relation
where id = ?1

-- name: drop_subjects_of_item (whole store)
delete from subject
where item = ?1
returning person

-- name: clear_entries (whole store)
delete from entry

-- name: clear_removed_entries (whole store)
delete from removed_entry

-- name: clear_change_keys (whole store)
delete from change_key

-- name: clear_tick_expiries (whole store)
delete from tick_expiry

-- name: clear_subjects (whole store)
delete from subject

-- name: clear_lineage (whole store)
-- What memories were made from in their own space. Where one was promoted from, only this table says.
delete from lineage
where child_space = space

-- name: clear_checkpoints (whole store)
delete from checkpoint

-- name: clear_rejected_values (whole store)
delete from rejected_value

-- name: clear_ended_values (whole store)
delete from ended_value

-- name: put_rewrites
insert into to_rewrite (space, target, writer)
select @0, target, pg_current_xact_id()::text
from unnest(?1::uuid[]) as target
on conflict do nothing

-- name: rewrites
select target, writer
from to_rewrite
where space = @0

-- name: drop_rewrites
delete from to_rewrite
where space = @0
  and (target, writer) in (select * from unnest(?1::uuid[], ?2::text[]))

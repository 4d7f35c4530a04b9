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
returning no

-- name: all_spaces
select coordinates
from space
order by id

-- name: spaces_of_user
select coordinates
from space
where coordinates ->> '$.user' = ?1
order by id

-- name: shelf_no
select no, rack
from shelf
where space = ?1
  and readers = ?2
  and label = ?3

-- name: rack_no
select no
from rack
where space = ?1
  and readers = ?2

-- name: add_rack
insert into rack (space, readers)
values (?1, ?2)
returning no

-- name: rack_of_person
select no
from rack
where person = ?1

-- name: add_rack_of_person
insert into rack (person)
values (?1)
returning no

-- name: stamp
select stamp
from rack
where no = ?1

-- name: set_stamp
update rack
set stamp = ?2
where no = ?1

-- name: add_shelf
insert into shelf (space, readers, label, rack)
values (?1, ?2, ?3, ?4)
returning no

-- name: rack
select rack
from shelf
where no = ?1

-- name: shelves_in_sight
-- The one clause that turns a sight into rows: exactly the named spaces. No names, no rows.
select shelf.no, space.id, shelf.readers, shelf.label, rack.no, rack.stamp
from space
join shelf on shelf.space = space.no
join rack on rack.no = shelf.rack
where space.id in (select unhex(value) from json_each(?1))

-- name: set_tick
update shelf
set tick = ?2
where no = ?1

-- name: shelf_at
-- The numbers of a space, a shelf in it and its rack, by the digest of the space.
select space.no, shelf.no, shelf.rack
from shelf
join space on space.no = shelf.space
where space.id = ?1
  and shelf.readers = ?2
  and shelf.label = ?3

-- name: tick
select tick
from shelf
where no = ?1

-- name: add_fading
insert into fading (item, shelf, tick)
values (?1, ?2, ?3)

-- name: all_fading
select item, shelf, tick
from fading

-- name: drop_fading
delete from fading
where item = ?1

-- name: next_to_fade
select min(tick)
from fading
where shelf = ?1

-- name: items_faded
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where no in (select item from fading where shelf = ?1 and tick <= ?2)

-- name: items_by_importance
-- The memories in force on a shelf that were made by a moment, the least important first, or simply the oldest. A
-- damaged record that is no JSON any more must not keep the others from being read.
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where shelf = ?1
  and indexed > 0
  and created_at <= ?3
order by iif(?2 or not json_valid(record), null, record ->> 'importance'), created_at, id

-- name: items_of_author
-- The same of one author on every shelf that has something lasting of theirs, by number: sorting whole rows takes twice
-- as long. Others of the same name, and turns, come along and are left out later.
select item.no
from item
join space on space.no = item.space
where item.shelf in (select shelf from number where author = ?1 and kind <> 'short_term' and live > 0)
  and item.indexed > 0
  and item.created_at <= ?3
  and iif(json_valid(item.record), item.record ->> '$.author.id', null) = ?4
order by iif(?2, null, item.record ->> 'importance'), item.created_at, item.id, space.id

-- name: rack_at
-- The rack of a space and a reader list.
select rack.no
from rack
join space on space.no = rack.space
where space.id = ?1
  and rack.readers = ?2

-- name: marked
-- Some of the memories in a rack that have a mark, whichever: sorting takes longer than finding them.
select item
from mark
where rack = ?1
  and mark in carray(?2)
limit ?3

-- name: marks_of_rack
select distinct mark
from mark
where rack = ?1

-- name: latest_marked
select distinct item
from mark
where rack = ?1
  and mark in carray(?2)
order by item desc
limit ?3

-- name: entries
-- What came into a rack between two stamps, in that order.
select stamp, item, shelf, length, expires_at, terms, counts, speaker, day, in_talk, traits, vector
from entry
where rack = ?1
  and stamp > ?2
  and stamp <= ?3
order by stamp

-- name: unembedded
-- The memories in racks whose vector has another mark, or with it neither no numbers nor as many as it should have, if
-- that is known; without a mark, those that have a vector.
select item
from entry
where rack in (select value from json_each(?1))
  and shelf in (select value from json_each(?2))
  and iif(
    length(?3),
    substr(vector, 1, length(?3)) is not ?3  -- of nothing it is null
      or (?4 is not null and length(vector) not in (length(?3), length(?3) + ?4)),
    length(vector) > 0
  )
order by item

-- name: gone
-- What went out of it between the same.
select stamp, item
from gone
where rack = ?1
  and stamp > ?2
  and stamp <= ?3
order by stamp

-- name: gone_since
select since
from rack
where no = ?1

-- name: add_entry
insert into entry
  (rack, stamp, item, shelf, length, expires_at, terms, counts, speaker, day, in_talk, traits, vector, marks, seal)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)

-- name: drop_entry
delete from entry
where rack = ?1
  and stamp = ?2
returning marks

-- name: entries_of_item
select rack, stamp
from entry
where item = ?1

-- name: add_gone
insert into gone (rack, stamp, item)
values (?1, ?2, ?3)

-- name: forget_gone
delete from gone
where rack = ?1
  and stamp <= ?2

-- name: start_over
-- Every rack as after changes that nobody can follow.
update rack
set stamp = stamp + 1,
    since = stamp + 1

-- name: set_since
update rack
set since = ?2
where no = ?1

-- name: add_mark
insert or ignore into mark (rack, mark, item)
values (?1, ?2, ?3)

-- name: drop_mark
delete from mark
where rack = ?1
  and mark = ?2
  and item = ?3

-- name: add_about
insert into about (person, id, item, told, entry, expires_at)
values (?1, ?2, ?3, ?4, ?5, ?6)

-- name: drop_about
delete from about
where person = ?1
  and id = ?2
  and item = ?3
returning entry

-- name: told_no
select no, rack
from told_shelf
where person = ?1
  and space = ?2
  and readers = ?3
  and label = ?4

-- name: add_told_shelf
insert into told_shelf (person, space, readers, label, rack)
values (?1, ?2, ?3, ?4, ?5)
returning no

-- name: told_shelves
-- Where something may be told of a person.
select told_shelf.no, space.id, space.coordinates ->> '$.user', told_shelf.readers, told_shelf.label, rack.no, rack.stamp
from rack
join told_shelf on told_shelf.rack = rack.no
join space on space.no = told_shelf.space
where rack.person = ?1

-- name: told_among
-- Of some memories, those that are told of persons, where it may be.
select item
from about
where person in (select value from json_each(?1))
  and told in (select value from json_each(?2))
  and item in (select value from json_each(?3))
  and entry > 0

-- name: items_told
-- Memories about persons, by id.
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where no in (
  select about.item
  from about
  where about.person in (select value from json_each(?1))
    and about.id in (select value from json_each(?2))
    and about.entry > 0
)

-- name: items_about
-- Memories in force about persons, from newest to oldest, of those on shelves that may be seen and those told.
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where no in (select about.item from about where about.person in (select value from json_each(?1)))
  and (
    shelf in (select value from json_each(?2))
    or no in (
      select about.item
      from about
      where about.person in (select value from json_each(?3))
        and about.told in (select value from json_each(?4))
    )
  )
order by created_at desc, id, space

-- name: about_in_sight
select distinct about.item
from about
join item on item.no = about.item
where about.person in (select value from json_each(?1))
  and item.shelf in (select value from json_each(?2))

-- name: all_about
select person, id, item, expires_at
from about

-- name: told_of_strangers
-- Entries of what is told that no memory about that person has.
select count(*)
from entry
join rack on rack.no = entry.rack and rack.person is not null
left join item on item.no = entry.item
left join about on about.person = rack.person and about.id = item.id and about.item = item.no
  and about.entry = entry.stamp
where about.item is null

-- name: not_told
-- What may be told, but cannot be found.
select count(*)
from about
left join rack on rack.person = about.person
left join entry on entry.rack = rack.no and entry.stamp = about.entry and entry.item = about.item
where about.entry > 0
  and entry.item is null

-- name: unindex_item
update item
set indexed = 0
where no = ?1

-- name: shelf_ticks
select no, tick
from shelf

-- name: stamps
select item.no, item.shelf, item.created_at, cast(item.id as blob), space.id
from item
join space on space.no = item.space
where item.no in (select value from json_each(?1))

-- name: items_by_no
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where no in (select value from json_each(?1))

-- name: items_by_id
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where space in (select value from json_each(?1))
  and id in (select value from json_each(?2))

-- name: items_by_beginning
-- From a name on, in order; those that do not begin with it come after those that do.
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where space = ?1
  and id >= ?2
  and id < ?2 || '~'
order by id

-- name: items_by_age
-- One space from newest to oldest, past a place.
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where space = ?1
  and created_at <= ?2
  and (created_at < ?2 or id >= ?3)
order by created_at desc, id

-- name: items_by_value
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where space = ?1
  and value = ?2
  and deleted = 0
  and status in ('approved', 'pending')

-- name: values_of_space
select value
from item
where space = ?1
order by value
limit ?2

-- name: items_derived
-- What was made from memories, in their own space.
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where no in (
  select lineage.child
  from lineage
  join item as made on made.no = lineage.child and made.space = lineage.space
  where lineage.space in (select value from json_each(?1))
    and lineage.parent in (select value from json_each(?2))
)

-- name: items_promoted
-- The copies of memories that were promoted out of their space, wherever they are.
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
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
select item.no, item.space, cast(item.id as blob), item.shelf, cast(item.status as blob), item.deleted,
  item.created_at, item.expires_at, cast(item.source as blob), item.value, item.indexed, cast(item.record as blob),
  item.seal
from space
join item on item.space = space.no
where space.id in (select unhex(value) from json_each(?1))
  and item.expires_at <= ?2
  and item.deleted = 0

-- name: items_on_shelves
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where shelf in (select value from json_each(?1))

-- name: items_in_spaces
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where space in (select value from json_each(?1))

-- name: items_in_quarantine
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from quarantine
join item on item.no = quarantine.item

-- name: items_after
-- Some of all memories, by number: who goes through them all may change them on the way.
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where no > ?1
order by no
limit ?2

-- name: items_of_space
-- The same of one space, by name.
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where space = ?1
  and id > cast(?2 as text)
order by id
limit ?3

-- name: item_for_change
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, cast(record as blob), seal
from item
where space = ?1
  and id = ?2

-- name: add_item
insert into item
  (space, id, shelf, status, deleted, created_at, expires_at, source, value, indexed, record, seal)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)

-- name: change_item
update item
set shelf = ?3,
    status = ?4,
    deleted = ?5,
    created_at = ?6,
    expires_at = ?7,
    source = ?8,
    value = ?9,
    indexed = ?10,
    record = ?11,
    seal = ?12
where space = ?1
  and id = ?2

-- name: drop_item
delete from item
where no = ?1

-- name: add_lineage
insert or ignore into lineage (space, parent, child)
values (?1, ?2, ?3)

-- name: drop_lineage
-- What a memory was made from in its own space. Where it was promoted from does not change.
delete from lineage
where space = ?1
  and child = ?2

-- name: drop_lineage_of_child
delete from lineage
where child = ?1

-- name: number
-- How far an author's sequence has come, and how many of it are in force.
select next, live
from number
where shelf = ?1
  and author = ?2
  and kind = ?3

-- name: set_number
insert into number (shelf, author, kind, next, live)
values (?1, ?2, ?3, ?4, ?5)
on conflict (shelf, author, kind) do update set next = excluded.next, live = excluded.live

-- name: clear_live
update number
set live = 0

-- name: population
select kind, live
from number
where shelf = ?1
  and author = ?2
  and live > 0

-- name: all_numbers
select shelf, author, kind, next, live
from number

-- name: authored
select shelf.readers, sum(number.live)
from number
join shelf on shelf.no = number.shelf
where number.author = ?1
  and number.kind <> 'short_term'
group by shelf.readers

-- name: places_of_author
select space.coordinates, shelf.readers
from number
join shelf on shelf.no = number.shelf
join space on space.no = shelf.space
where number.author = ?1
  and number.kind <> 'short_term'
  and number.live > 0
group by shelf.no

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

-- name: all_policies
select digest, document, seal
from policy

-- name: bar
select authority, seal
from bar
where space = ?1
  and readers = ?2
  and value = ?3

-- name: has_bars
select exists (select 1 from bar where space = ?1)

-- name: put_bar
insert into bar (space, readers, value, authority, seal)
values (?1, ?2, ?3, ?4, ?5)
on conflict (space, readers, value) do update set authority = excluded.authority, seal = excluded.seal

-- name: all_bars
select space, readers, value, authority, seal
from bar

-- name: drop_bar
delete from bar
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

-- name: agent
select owner
from agent
where id = ?1

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

-- name: all_agents
select id, owner
from agent

-- name: all_chats
select id, kind
from chat

-- name: all_members
select level, id, kind, name, trust
from member

-- name: all_shares
select id, space, reader_kind, reader, record
from share

-- name: drop_share
delete from share
where id = ?1

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
returning no

-- name: all_chains
select no, kind, key, length, head, seal
from chain
order by kind, key

-- name: grow_chain
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

-- name: checkpoints
select number, head, at, signature
from checkpoint
where chain = ?1
order by number

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

-- name: entries_of_strangers
-- Entries that belong to no memory of their shelf.
select count(*)
from entry
join rack on rack.no = entry.rack and rack.person is null
left join item on item.no = entry.item and item.shelf = entry.shelf and item.indexed = entry.stamp
where item.no is null

-- name: not_indexed
-- Memories in force that have no entry.
select cast(item.id as blob)
from item
join shelf on shelf.no = item.shelf
left join entry on entry.rack = shelf.rack and entry.stamp = item.indexed and entry.item = item.no
where item.indexed > 0
  and entry.item is null

-- name: all_entries
select rack, stamp, item, shelf, length, expires_at, terms, counts, speaker, day, in_talk, traits, vector, marks, seal
from entry

-- name: all_marks
select rack, mark, item
from mark

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

-- name: next_person
select next
from person_number
where home = ?1
  and readers = ?2
  and creator = ?3

-- name: grow_person_number
insert into person_number (home, readers, creator, next)
values (?1, ?2, ?3, ?4)
on conflict (home, readers, creator) do update set next = max(next, excluded.next)

-- name: relations_of
select id, home, from_person, to_person, record, seal
from relation
where (from_person in (select value from json_each(?2)) or to_person in (select value from json_each(?2)))
  and home in (select value from json_each(?1))
order by id

-- name: relations_in
select id, home, from_person, to_person, record, seal
from relation
where home in (select value from json_each(?1))
order by id

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

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
select no
from shelf
where space = ?1
  and readers = ?2
  and label = ?3

-- name: add_shelf
insert into shelf (space, readers, label, rack)
values (?1, ?2, ?3, coalesce(
  (select min(rack) from shelf where space = ?1 and readers = ?2),
  (select coalesce(max(no), 0) + 1 from shelf)
))
returning no

-- name: rack
select rack
from shelf
where no = ?1

-- name: shelves_in_sight
-- The one clause that turns a sight into rows: exactly the named spaces. No names, no rows.
select shelf.no, space.id, shelf.readers, shelf.label, shelf.rack, shelf.count, shelf.length
from space
join shelf on shelf.space = space.no
where space.id in (select unhex(value) from json_each(?1))

-- name: grow_shelf
-- A tick never goes back: what came into force and went has been there.
update shelf
set count = count + ?2,
    length = length + ?3,
    tick = max(tick, ?4)
where no = ?1

-- name: shelf_at
-- The number of a shelf, by the digest of its space.
select shelf.no
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

-- name: items_faded
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from item
where no in (select item from fading where shelf = ?1 and tick <= ?2)

-- name: items_by_importance
-- The memories in force on a shelf that were made by a moment, the least important first, or simply the oldest. A
-- damaged record that is no JSON any more must not keep the others from being read.
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from item
where shelf = ?1
  and indexed = 1
  and created_at <= ?3
order by iif(?2 or not json_valid(record), null, record ->> 'importance'), created_at, id

-- name: items_of_author
-- The same of one author on every shelf that has something lasting of theirs, by number: sorting whole rows takes twice
-- as long. Others of the same name, and turns, come along and are left out later.
select item.no
from item
join space on space.no = item.space
where item.shelf in (select shelf from number where author = ?1 and kind <> 'short_term' and live > 0)
  and item.indexed = 1
  and item.created_at <= ?3
  and iif(json_valid(item.record), item.record ->> '$.author.id', null) = ?4
order by iif(?2, null, item.record ->> 'importance'), item.created_at, item.id, space.id

-- name: on_rack
select no
from shelf
where rack = ?1

-- name: rack_at
-- The rack of a space and a reader list.
select shelf.rack
from shelf
join space on space.no = shelf.space
where space.id = ?1
  and shelf.readers = ?2
limit 1

-- name: marked
-- The memories in a rack that have a mark.
select distinct item
from posting
where rack = ?1
  and term in (select value from json_each(?2))
order by item desc
limit ?3

-- name: postings
-- Of one word, in a rack where every shelf may be seen.
select item, frequency, length
from posting
where rack = ?1
  and term = ?2

-- name: postings_by_shelf
select item, frequency, length, shelf
from posting
where rack = ?1
  and term = ?2

-- name: expired_in_index
-- Indexed memories whose time has run out but which nobody has swept: taken out of the statistics at read.
select item.shelf, item.no, item.length
from space
join item on item.space = space.no
where space.id in (select unhex(value) from json_each(?1))
  and item.expires_at <= ?2
  and item.deleted = 0
  and item.indexed = 1

-- name: add_posting
insert into posting (rack, term, shelf, item, frequency, length)
values (?1, ?2, ?3, ?4, ?5, ?6)

-- name: drop_posting
delete from posting
where rack = ?1
  and term = ?2
  and shelf = ?3
  and item = ?4

-- name: add_about
insert into about (person, id, item, told, length, expires_at)
values (?1, ?2, ?3, ?4, ?5, ?6)

-- name: drop_about
delete from about
where person = ?1
  and id = ?2
  and item = ?3
returning told, length

-- name: add_told
insert into told (person, term, shelf, item, frequency, length)
values (?1, ?2, ?3, ?4, ?5, ?6)

-- name: drop_told
delete from told
where person = ?1
  and term = ?2
  and shelf = ?3
  and item = ?4

-- name: told_no
select no
from told_shelf
where person = ?1
  and space = ?2
  and readers = ?3
  and label = ?4

-- name: add_told_shelf
insert into told_shelf (person, space, readers, label)
values (?1, ?2, ?3, ?4)
returning no

-- name: grow_told_shelf
update told_shelf
set count = count + ?2,
    length = length + ?3
where no = ?1

-- name: told_shelves
-- Where there is something that may be told of a person.
select told_shelf.no, space.id, told_shelf.readers, told_shelf.label, told_shelf.count, told_shelf.length
from told_shelf
join space on space.no = told_shelf.space
where told_shelf.person = ?1
  and told_shelf.count > 0

-- name: told_among
-- Of some memories, those that are told of persons, where it may be.
select item
from about
where person in (select value from json_each(?1))
  and told in (select value from json_each(?2))
  and item in (select value from json_each(?3))
  and length > 0

-- name: told_postings
select item, frequency, length, shelf
from told
where person = ?1
  and term = ?2

-- name: told_expired
-- What may be told of a person, but its time has run out and nobody has swept it.
select item, told, length
from about
where person = ?1
  and expires_at <= ?2
  and length > 0

-- name: items_told
-- Memories about persons, by id.
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from item
where no in (
  select about.item
  from about
  where about.person in (select value from json_each(?1))
    and about.id in (select value from json_each(?2))
    and about.length > 0
)

-- name: items_about
-- Memories in force about persons, from newest to oldest, of those on shelves that may be seen and those told.
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
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

-- name: all_about
select person, id, item, expires_at
from about

-- name: recount_told_shelves
update told_shelf
set count = coalesce(real.count, 0),
    length = coalesce(real.length, 0)
from (
  select one.no as no, count(about.item) as count, sum(about.length) as length
  from told_shelf as one
  left join about on about.told = one.no and about.length > 0
  group by one.no
) as real
where real.no = told_shelf.no

-- name: told_totals
-- What the statistics of what is told should be, where they are not.
select told_shelf.person
from told_shelf
left join (
  select told as no, count(*) as count, sum(length) as length
  from about
  where length > 0
  group by told
) as real on real.no = told_shelf.no
where told_shelf.count <> coalesce(real.count, 0)
  or told_shelf.length <> coalesce(real.length, 0)

-- name: told_of_strangers
select count(*)
from told
left join item on item.no = told.item
left join about on about.person = told.person and about.id = item.id and about.item = told.item and about.length > 0
where about.item is null

-- name: drop_postings_of_item
delete from posting
where item = ?1

-- name: unindex_item
update item
set indexed = 0
where no = ?1

-- name: shelf_ticks
select no, tick
from shelf

-- name: recount_shelves
-- Every shelf's statistics, counted anew from its memories.
update shelf
set count = (select count(*) from item where item.shelf = shelf.no and item.indexed = 1),
    length = (select coalesce(sum(item.length), 0) from item where item.shelf = shelf.no and item.indexed = 1)

-- name: stamps
select item.no, item.shelf, item.created_at, cast(item.id as blob), space.id
from item
join space on space.no = item.space
where item.no in (select value from json_each(?1))

-- name: items_by_no
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from item
where no in (select value from json_each(?1))

-- name: items_by_id
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from item
where space in (select value from json_each(?1))
  and id in (select value from json_each(?2))

-- name: items_by_beginning
-- From a name on, in order; those that do not begin with it come after those that do.
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from item
where space = ?1
  and id >= ?2
  and id < ?2 || '~'
order by id

-- name: items_by_age
-- One space from newest to oldest, past a place.
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from item
where space = ?1
  and created_at <= ?2
  and (created_at < ?2 or id >= ?3)
order by created_at desc, id

-- name: items_by_value
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from item
where space = ?1
  and value = ?2
  and deleted = 0
  and status in ('approved', 'pending')

-- name: items_derived
-- What was made from memories, in their own space.
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
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
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from item
where no in (
  select lineage.child
  from lineage
  join item as made on made.no = lineage.child and made.space <> lineage.space
  where lineage.space in (select value from json_each(?1))
    and lineage.parent in (select value from json_each(?2))
)

-- name: items_overdue
select item.no, item.space, cast(item.id as blob), item.shelf, cast(item.status as blob), item.deleted,
  item.created_at, item.expires_at, cast(item.source as blob), item.value, item.indexed, item.length,
  cast(item.record as blob), item.seal, item.terms
from space
join item on item.space = space.no
where space.id in (select unhex(value) from json_each(?1))
  and item.expires_at <= ?2
  and item.deleted = 0

-- name: items_on_shelves
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from item
where shelf in (select value from json_each(?1))

-- name: items_in_spaces
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from item
where space in (select value from json_each(?1))

-- name: items_in_quarantine
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from quarantine
join item on item.no = quarantine.item

-- name: all_items
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from item
order by no

-- name: item_for_change
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from item
where space = ?1
  and id = ?2

-- name: add_item
insert into item
  (space, id, shelf, status, deleted, created_at, expires_at, source, value, indexed, length, terms, record, seal)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
returning no

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
    length = ?11,
    terms = ?12,
    record = ?13,
    seal = ?14
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

-- name: next_number
select next
from number
where shelf = ?1
  and author = ?2
  and kind = ?3

-- name: grow_number
-- An author's sequence goes on to `next` at least, and `live` more of it are in force.
insert into number (shelf, author, kind, next, live)
values (?1, ?2, ?3, ?4, ?5)
on conflict (shelf, author, kind) do update set next = max(next, excluded.next), live = live + excluded.live

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

-- name: shelf_totals
-- What each shelf's statistics should be, counted from its memories.
select shelf.no, shelf.count, shelf.length, count(item.no), coalesce(sum(item.length), 0)
from shelf
left join item on item.shelf = shelf.no and item.indexed = 1
group by shelf.no

-- name: postings_of_strangers
-- Index entries that belong to no indexed memory of their shelf.
select count(*)
from posting
left join item on item.no = posting.item and item.shelf = posting.shelf and item.indexed = 1
where item.no is null

-- name: postings_per_item
-- How many index entries each memory has, with sums over both halves of their numbers to tell which.
select cast(item.id as blob), item.terms, coalesce(real.count, 0), coalesce(real.high, 0), coalesce(real.low, 0)
from item
left join (
  select item, shelf, count(*) as count, sum(term >> 32) as high, sum(term & 4294967295) as low
  from posting
  group by item, shelf
) as real on real.item = item.no and real.shelf = item.shelf
where item.indexed = 1

-- name: people_by_id
select id, home, record, seal
from person
where id in (select value from json_each(?2))
  and home in (select value from json_each(?1))
order by id

-- name: people_named
select person.id, person.home, person.record, person.seal
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

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

-- name: shelf_no
select no
from shelf
where space = ?1
  and readers = ?2

-- name: add_shelf
insert into shelf (space, readers)
values (?1, ?2)
returning no

-- name: shelves_in_sight
-- The one clause that turns a sight into rows: exactly the named spaces. No names, no rows.
select shelf.no, space.id, shelf.readers, shelf.count, shelf.length
from space
join shelf on shelf.space = space.no
where space.id in (select unhex(value) from json_each(?1))

-- name: grow_shelf
update shelf
set count = count + ?2,
    length = length + ?3
where no = ?1

-- name: postings
select item, frequency, length
from posting
where shelf = ?1
  and term = ?2

-- name: expired_in_index
-- Indexed memories whose time has run out but which nobody has swept: taken out of the statistics at read.
select item.shelf, item.no, item.length
from item
where item.shelf in (select value from json_each(?1))
  and item.expires_at <= ?2
  and item.deleted = 0
  and item.indexed = 1

-- name: add_posting
insert into posting (shelf, term, item, frequency, length)
values (?1, ?2, ?3, ?4, ?5)

-- name: drop_posting
delete from posting
where shelf = ?1
  and term = ?2
  and item = ?3

-- name: drop_postings_of_item
delete from posting
where item = ?1

-- name: unindex_item
update item
set indexed = 0
where no = ?1

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

-- name: items_by_age
-- One shelf from newest to oldest, past a place.
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from item
where shelf = ?1
  and created_at <= ?2
  and (created_at < ?2 or id >= ?3)
order by created_at desc, id

-- name: items_by_value
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from item
where shelf = ?1
  and value = ?2
  and deleted = 0
  and status in ('approved', 'pending')

-- name: items_derived
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from item
where no in (
  select child
  from lineage
  where space in (select value from json_each(?1))
    and parent in (select value from json_each(?2))
)

-- name: items_overdue
select no, space, cast(id as blob), shelf, cast(status as blob), deleted, created_at, expires_at,
  cast(source as blob), value, indexed, length, cast(record as blob), seal, terms
from item
where shelf in (select value from json_each(?1))
  and expires_at <= ?2
  and deleted = 0

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

-- name: drop_lineage_of_child
delete from lineage
where child = ?1

-- name: next_number
select next
from number
where shelf = ?1
  and author = ?2
  and kind = ?3

-- name: set_number
insert into number (shelf, author, kind, next)
values (?1, ?2, ?3, ?4)
on conflict (shelf, author, kind) do update set next = max(next, excluded.next)

-- name: bar
select authority
from bar
where space = ?1
  and readers = ?2
  and value = ?3

-- name: put_bar
insert into bar (space, readers, value, authority)
values (?1, ?2, ?3, ?4)
on conflict (space, readers, value) do update set authority = excluded.authority

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
insert or ignore into member (level, id, kind, name)
values (?1, ?2, ?3, ?4)

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

-- name: drop_share
delete from share
where id = ?1

-- name: sources_in
select record
from source
where space in (select value from json_each(?1))

-- name: put_source
insert into source (space, id, record)
values (?1, ?2, ?3)
on conflict (space, id) do update set record = excluded.record

-- name: drop_source
delete from source
where space = (select no from space where id = ?1)
  and id = ?2

-- name: erasures
select record
from erasure
order by at, id

-- name: put_erasure
insert into erasure (id, at, pending, record)
values (?1, ?2, ?3, ?4)
on conflict (id) do update set pending = excluded.pending, record = excluded.record

-- name: quarantine
insert or ignore into quarantine (item, name, found_at)
values (?1, ?2, ?3)

-- name: release_from_quarantine
delete from quarantine
where item = ?1

-- name: chain
select no, length, head
from chain
where kind = ?1
  and key = ?2

-- name: add_chain
insert into chain (kind, key, length, head)
values (?1, ?2, 0, ?3)
returning no

-- name: all_chains
select kind, key, length, head
from chain
order by kind, key

-- name: grow_chain
update chain
set length = ?2,
    head = ?3
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
select no, kind, key, length, head
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
select cast(item.id as blob), item.terms, count(posting.item), coalesce(sum(posting.term >> 32), 0),
  coalesce(sum(posting.term & 4294967295), 0)
from item
left join posting on posting.shelf = item.shelf and posting.item = item.no
where item.indexed = 1
group by item.no

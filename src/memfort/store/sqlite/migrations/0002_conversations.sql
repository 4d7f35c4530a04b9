-- The conversation that a turn belongs to, so that the last turns of a conversation, and those around one, are found
-- without reading the others. Like `source` it repeats what the record says; a record that says another is not believed.
alter table item add column conversation text;

create index item_by_conversation on item (space, conversation, no) where conversation is not null;

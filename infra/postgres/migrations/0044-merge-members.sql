-- Which events of merged catalogues have, or ever had, an event of a source among their members: built from the log by
-- the projection "catalogues". `revision` is the first of the merged catalogue in which it was so.
create table read_model.merge_members (
  member uuid not null,
  catalogue_key integer not null,
  event_id uuid not null,
  revision integer not null
);
insert into read_model.merge_members (member, catalogue_key, event_id, revision)
  select (source ->> 'event_id')::uuid, e.catalogue_key, e.event_id, min(e.revision_from)
  from read_model.seismic_events e cross join lateral json_array_elements(e.source_events) source
  where e.source_events is not null
  group by 1, 2, 3;
alter table read_model.merge_members add primary key (member, catalogue_key, event_id);
-- For a catalogue that goes, and a revision that is abandoned: equal entries take few bytes.
create index merge_members_revision on read_model.merge_members (catalogue_key, revision);

-- Events of sources that decisions named which were made or withdrawn since the merge was refreshed; `decided` is
-- merge_decided of the catalogue when the last of them was.
create table read_model.merge_touched (
  catalogue_id uuid not null,
  event_id uuid not null,
  decided integer not null,
  primary key (catalogue_id, event_id)
);

-- How many events of a merged catalogue stand for more than one, as the merge or its last refresh left it; null of
-- merges made before it was recorded, and of catalogues that are none.
alter table read_model.catalogues add column merge_duplicate_groups integer;

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

-- Which event had an id, from rows that later versions replaced or ended: as for the latest ones, by source_id,
-- public id, and bare id within a source_id. Rows of the latest version take no byte of these; a superseded one
-- takes 32 bytes with a source_id of its own and 59 with a public id. Reads go on while they are made (of 1,000,000
-- superseded rows in some 5 s).
create index seismic_events_former_source on read_model.seismic_events (catalogue_key, source_id)
  where revision_to is not null and source_id is not null;
create index seismic_events_former_public_id on read_model.seismic_events
  (catalogue_key, (left(extra ->> 'public_id', 255)))
  where revision_to is not null and extra is not null;
create index seismic_events_former_bare_id on read_model.seismic_events
  (catalogue_key, (coalesce(
    substring(source_id from '[?&/](?:[eE][vV][eE][nN][tT][iI][dD]|[eE][vV][iI][dD]|[iI][dD])=([^&#/]+)'),
    substring(
      regexp_replace(source_id, '(?:/(?:[eE][vV][eE][nN][tT])?#?)+$', '') from '[^/]*$'))))
  where revision_to is not null and source_id ~ '[/?&]';

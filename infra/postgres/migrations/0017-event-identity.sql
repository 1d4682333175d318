-- Whether a submitted or imported event is there already, by its public id: the first 255 characters, since
-- an entry of an index is not of any size.
create index seismic_events_public_id on read_model.seismic_events
  (catalogue_key, (left(extra ->> 'public_id', 255)))
  where revision_to is null and extra is not null;
-- The same by the bare id, where the public id stands as source_id: the id in its query, else the last part
-- of its path that is not empty and not just "event". Few rows, if any.
create index seismic_events_bare_id on read_model.seismic_events
  (catalogue_key, (coalesce(
    substring(source_id from '[?&/](?:[eE][vV][eE][nN][tT][iI][dD]|[eE][vV][iI][dD]|[iI][dD])=([^&#/]+)'),
    substring(
      regexp_replace(source_id, '(?:/(?:[eE][vV][eE][nN][tT])?#?)+$', '') from '[^/]*$'))))
  where revision_to is null and source_id ~ '[/?&]';

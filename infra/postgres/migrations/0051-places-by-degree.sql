-- The index of places by whole degrees of latitude, within each by longitude: a circle looks at the entries near it where
-- it looked at all of its latitudes. Reads go on while it is built. The name stays.
alter index read_model.seismic_events_place rename to seismic_events_place_before;
create index seismic_events_place on read_model.seismic_events
  (catalogue_key, (floor(latitude)::smallint), longitude, latitude,
    (coalesce(magnitude, '-infinity'::double precision)));
-- Of the whole degrees too.
analyze read_model.seismic_events;
drop index read_model.seismic_events_place_before;

-- Boxes and circles: a band of latitudes, and within it the longitudes are told by the index alone.
create index seismic_events_place on read_model.seismic_events (catalogue_key, latitude, longitude);

-- What changed since a version: few rows of many, asked for again and again by clients that follow.
create index seismic_events_revision on read_model.seismic_events (catalogue_key, revision_from);

-- Without them the planner takes any agency for one of few events, and walks a catalogue in order for it.
create statistics read_model.seismic_events_agency
  on (lower(agency_id)) from read_model.seismic_events;

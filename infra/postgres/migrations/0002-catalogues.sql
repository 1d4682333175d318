-- Read models of catalogues: built from the log by the projection "catalogues", never written by others.

create schema read_model;

-- One row per subscription: how far its read model stands, changed in the transaction that changes the rows.
create table read_model.checkpoints (
  projection text primary key,
  position text not null,
  updated_at timestamptz not null default clock_timestamp()
);

-- Events that could not be applied, and everything after them on the same subject, until retried.
create table read_model.parked_events (
  projection text not null,
  position text not null,
  subject text not null,
  stream text not null,
  revision integer not null,
  type text not null,
  error text not null,
  parked_at timestamptz not null default clock_timestamp(),
  primary key (projection, position)
);
create index parked_events_subject on read_model.parked_events (projection, subject, position);

create table read_model.catalogues (
  -- Short key of the catalogue in its many event rows; given in log order, so a rebuild gives the same.
  key integer primary key,
  id uuid not null unique,
  name text not null,
  is_public boolean not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  status text not null,
  version integer not null,
  event_count integer not null,
  min_latitude double precision,
  max_latitude double precision,
  min_longitude double precision,
  max_longitude double precision,
  min_magnitude double precision,
  max_magnitude double precision,
  -- Times of bounds are texts: they keep the digits of the event they are of.
  start_time text,
  end_time text,
  open_revision integer,
  open_worker text,
  -- Chunks of the open revision applied so far, checked when it is committed.
  open_chunks integer not null default 0
);
create index catalogues_newest on read_model.catalogues (created_at desc, id desc);
create index catalogues_open on read_model.catalogues (id) where open_revision is not null;

create table read_model.catalogue_versions (
  catalogue_key integer not null,
  version integer not null,
  created_at timestamptz not null,
  cause text not null,
  actor text not null,
  added integer not null,
  updated integer not null,
  removed integer not null,
  event_count integer not null,
  content_hash text not null,
  primary key (catalogue_key, version)
);

-- One row per version of a seismic event. Revision r sees the rows with
-- revision_from <= r and (revision_to is null or revision_to > r).
-- Units are those of contracts/seismic-event/attributes.ts; eight-byte columns first, for density.
create table read_model.seismic_events (
  time timestamptz not null,
  latitude double precision not null,
  longitude double precision not null,
  depth double precision,
  magnitude double precision,
  azimuthal_gap double precision,
  standard_error double precision,
  minimum_distance double precision,
  magnitude_uncertainty double precision,
  depth_uncertainty double precision,
  horizontal_uncertainty double precision,
  time_uncertainty double precision,
  latitude_uncertainty double precision,
  longitude_uncertainty double precision,
  catalogue_key integer not null,
  revision_from integer not null,
  revision_to integer,
  used_station_count integer,
  used_phase_count integer,
  magnitude_station_count integer,
  -- Fractional digits of the time as given, so that it is answered as given.
  time_digits smallint not null,
  event_id uuid not null,
  magnitude_type text,
  region text,
  source_id text,
  event_type text,
  event_type_certainty text,
  evaluation_mode text,
  evaluation_status text,
  depth_type text,
  agency_id text,
  author text,
  focal_mechanisms json,
  extra json,
  source_events json,
  primary key (catalogue_key, event_id, revision_from)
);
-- Pages, cursors and time windows.
create index seismic_events_time on read_model.seismic_events (catalogue_key, time, event_id);
-- Magnitude order and bounds; an unknown magnitude sorts below every known one.
create index seismic_events_magnitude on read_model.seismic_events
  (catalogue_key, (coalesce(magnitude, '-infinity'::double precision)), time, event_id);
-- Whether a submitted or imported event is there already.
create index seismic_events_source on read_model.seismic_events (catalogue_key, source_id)
  where revision_to is null and source_id is not null;
-- What an abandoned revision superseded; few rows.
create index seismic_events_superseded on read_model.seismic_events (catalogue_key, revision_to)
  where revision_to is not null;

-- Without them the planner takes any filter by magnitude type for a rare one.
create statistics read_model.seismic_events_magnitude_type
  on (lower(magnitude_type)) from read_model.seismic_events;

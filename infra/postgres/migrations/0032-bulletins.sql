-- Bulletins beside the rows of events: all that was said of an event. A row without one has nulls in the
-- three columns, which cost no byte. bulletin_revision is the revision in whose frames the bulletin is: an
-- earlier one than revision_from where the row changed and the bulletin did not, or came back.
alter table read_model.seismic_events
  add column bulletin_revision integer,
  add column bulletin_sha256 bytea,
  -- In the order of contracts/bulletin/bulletin-summary.ts.
  add column bulletin_counts integer[];

-- Pieces of packed bulletins (infra/bulletins/packed-bulletin.ts): a light answer reads the head alone.
create table read_model.bulletins (
  event_id uuid not null,
  catalogue_key integer not null,
  revision integer not null,
  part smallint not null,
  piece smallint not null,
  bytes bytea not null,
  primary key (catalogue_key, event_id, revision, part, piece)
);
-- Compressed already.
alter table read_model.bulletins alter column bytes set storage external;

-- All magnitudes of bulletins, for filters that look at more than the preferred one.
create table read_model.bulletin_magnitudes (
  event_id uuid not null,
  catalogue_key integer not null,
  revision integer not null,
  -- Its place in the bulletin's list, from 0.
  place integer not null,
  value double precision not null,
  preferred boolean not null,
  type text,
  agency text,
  primary key (catalogue_key, event_id, revision, place)
);

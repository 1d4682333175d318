-- The events that decisions of merges name: built from the log by the projection "catalogues". Ids of events are
-- unique, whatever their catalogue.
create table read_model.merge_decided_events (
  catalogue_id uuid not null,
  event_id uuid not null,
  decision_id uuid not null,
  primary key (catalogue_id, event_id, decision_id)
);
create index merge_decided_events_of on read_model.merge_decided_events (decision_id);
insert into read_model.merge_decided_events
  select d.catalogue_id, (event ->> 'event_id')::uuid, d.id
  from read_model.merge_decisions d cross join lateral json_array_elements(d.events) event;

-- Pairs of events that people should look at, of a merge as it was merged last: computed on demand, and again where
-- `stands_for` tells of other settings or sources.
create table operations.merge_pair_sets (
  catalogue_id uuid primary key,
  stands_for text not null
);
create table operations.merge_pairs (
  catalogue_id uuid not null,
  -- From 0 on, by time.
  place integer not null,
  -- The ids of both events in their order; the earlier event is the other one where `is_turned`.
  one uuid not null,
  other uuid not null,
  is_turned boolean not null,
  -- Ids of their catalogues.
  source_of_one uuid not null,
  source_of_other uuid not null,
  -- Seconds, kilometres.
  time_difference double precision not null,
  distance double precision not null,
  magnitude_difference double precision,
  primary key (catalogue_id, place)
);
create index merge_pairs_of_events on operations.merge_pairs (catalogue_id, one, other);

-- What people who look at pairs say of them: primary data, whatever becomes of the pairs.
create table operations.merge_review (
  catalogue_id uuid not null,
  one uuid not null,
  other uuid not null,
  -- User id of whoever looks at it, and when they last said something; null for nobody.
  claimed_by text,
  claimed_at timestamptz,
  -- Whether it was put aside.
  later boolean not null default false,
  note text,
  primary key (catalogue_id, one, other)
);

-- What declustering found, kept for some time so that its labels can be read and made a catalogue of.
create table operations.decluster_results (
  id uuid primary key,
  catalogue_id uuid not null,
  version integer not null,
  -- Filters as texts of a query string, and the method with all its parameters.
  filters json not null,
  method json not null,
  created_at timestamptz not null default clock_timestamp()
);
create index decluster_results_catalogue on operations.decluster_results (catalogue_id, created_at);

-- Each event in order of time: its cluster, from 1, or 0 for none, and its role: 0 main, 1 fore, 2 after.
create table operations.decluster_labels (
  result uuid not null references operations.decluster_results on delete cascade,
  place integer not null,
  event_id uuid not null,
  cluster integer not null,
  role smallint not null,
  primary key (result, place)
);

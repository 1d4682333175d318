-- Read model of agency imports: built from the log by the projection "catalogues".
create table read_model.imports (
  id uuid primary key,
  catalogue_id uuid not null,
  window_start text not null,
  window_end text not null,
  start_time timestamptz not null,
  -- Null while it runs.
  end_time timestamptz,
  total_fetched integer not null default 0,
  new_events integer not null default 0,
  updated_events integer not null default 0,
  skipped_events integer not null default 0,
  -- As contracts/import-run.ts has them, of a failed run the last one tells why; null without any.
  errors json
);
create index imports_newest on read_model.imports (catalogue_id, start_time desc, id desc);

-- How far running imports have come: primary data, for the history of those that a crash cuts off.
create table operations.import_progress (
  catalogue_id uuid not null,
  revision integer not null,
  -- As contracts/import-run.ts has it.
  tally json not null,
  updated_at timestamptz not null default clock_timestamp(),
  primary key (catalogue_id, revision)
);

-- Events so far, of operations whose progress is counted in another unit.
alter table operations.operations add column events bigint;

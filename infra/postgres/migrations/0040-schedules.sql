-- Schedules by which catalogues are imported into again and again: built from the log by the projection "catalogues".
create table read_model.schedules (
  id uuid primary key,
  catalogue_id uuid not null,
  -- User id of whoever made it, in whose name it imports.
  maker text not null,
  -- Id of the agency.
  agency text not null,
  every_minutes integer not null,
  paused boolean not null,
  -- All of them, as contracts/schedule.ts has them.
  settings json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index schedules_of_catalogue on read_model.schedules (catalogue_id, created_at desc, id desc);
create index schedules_of_agency on read_model.schedules (agency);

-- The schedule of an import, null of others; events that it marked or removed as withdrawn, null for none; rows of a
-- joined file that are about no event, {count, rows}, of which the first are listed, null for other runs.
alter table read_model.imports
  add column schedule_id uuid,
  add column withdrawn_events integer,
  add column unmatched json;

-- How far schedules have come: primary data. A missing row is a schedule that has not run.
create table operations.schedule_states (
  schedule_id uuid primary key,
  catalogue_id uuid not null,
  -- Presence key of the process that has claimed it, and the run for which; null while it does not run.
  worker text,
  run_id uuid,
  -- When it claimed it: for messages too, which are no run by its clock.
  claimed_at timestamptz,
  -- When its last run began.
  last_run timestamptz,
  -- Runs that have failed since the last that did not, and why the last one did.
  failures integer not null default 0,
  error text,
  -- When it runs next where that is not told by its last run: after others were in its way, or it was cut off.
  again_at timestamptz,
  -- Runs in a row in whose way others were.
  conflicts integer not null default 0,
  -- The settings for which the rest stands, as contracts/schedule.ts writes them; it is worth nothing for others.
  stands_for text,
  -- When the last run began that the agency answered, whatever was asked for.
  last_asked timestamptz,
  -- The same, for the whole window, whether all of it could be read or not.
  last_asked_whole timestamptz,
  -- When the last run began that read the window whole, and what it held, packed; null for none.
  last_whole timestamptz,
  known bytea,
  -- The agency's ids of the events that messages told of since the last run: what is known of them is not what the
  -- catalogue has.
  pushed text[] not null default '{}'
);

-- Runs of schedules that are not in the log: those that changed nothing, and those that failed before they did.
-- Primary data, the newest of each schedule, with the columns of read_model.imports.
create table operations.schedule_runs (
  id uuid primary key,
  schedule_id uuid not null,
  catalogue_id uuid not null,
  window_start text not null,
  window_end text not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  total_fetched integer not null,
  new_events integer not null,
  updated_events integer not null,
  skipped_events integer not null,
  withdrawn_events integer,
  errors json,
  elements json,
  unmatched json
);
create index schedule_runs_of_catalogue
  on operations.schedule_runs (catalogue_id, start_time desc, id desc);
create index schedule_runs_newest on operations.schedule_runs (schedule_id, start_time desc, id desc);

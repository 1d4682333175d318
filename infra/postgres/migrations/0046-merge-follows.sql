-- In whose name a merge is refreshed by itself, by user id: whoever asked for that; null of those that are not.
alter table read_model.catalogues add column merge_maker text;
create index catalogues_that_follow on read_model.catalogues (id) where merge_maker is not null;

-- How merges fare that are refreshed by themselves: primary data. A missing row is one that was not refreshed yet.
create table operations.merge_follows (
  catalogue_id uuid primary key,
  -- Presence key of the process that refreshes it, and the run in which; null while none does.
  worker text,
  run_id uuid,
  -- When the last run began.
  last_run timestamptz,
  -- Runs that have failed since the last that did not, and why the last one did.
  failures integer not null default 0,
  error text,
  -- When it may run next where that is not told by its last run.
  again_at timestamptz
);

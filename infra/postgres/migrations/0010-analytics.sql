-- The analytics feed: operational primary data, which the log does not hold.
create schema analytics;

-- How far a publisher has handed the log on; moved when the broker has acknowledged.
create table analytics.checkpoints (
  feed text primary key,
  -- Everything up to here is acknowledged.
  position text not null,
  -- Of the commit of a revision that comes next: what is acknowledged of it already.
  commit_id uuid,
  chunks integer not null default 0,
  messages integer not null default 0,
  updated_at timestamptz not null default clock_timestamp()
);

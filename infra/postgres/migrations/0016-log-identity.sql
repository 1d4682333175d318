-- The event at each checkpoint's position, by which a subscriber knows its log again. Null where a
-- checkpoint was written before ids were kept, until it moves.
alter table read_model.checkpoints
  add column event_id uuid,
  -- Events of the log applied so far, as measure of the speed of catching up.
  add column applied_events bigint not null default 0;
alter table notifications.checkpoints add column event_id uuid;
alter table analytics.checkpoints add column event_id uuid;

-- The log that the checkpoints of this database belong to, in whatever server that log is.
create table event_log.known_log (
  only_row boolean primary key default true check (only_row),
  log_id uuid not null,
  -- Null until the log or the database is restored; then told in entity tags beside the version,
  -- which may come again with other content.
  epoch text
);

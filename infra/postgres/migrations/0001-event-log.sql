-- The event log: the truth of the service. Rows are only ever inserted.
create schema event_log;

-- Transaction ids restart when a dump is restored into another cluster. The epoch is raised when
-- the log is opened there, and leads the stored transaction number, so that numbers never fall.
create table event_log.cluster (
  only_row boolean primary key default true check (only_row),
  epoch integer not null check (epoch between 1 and 32767),
  system_identifier bigint not null
);

insert into event_log.cluster (epoch, system_identifier)
select 1, system_identifier from pg_control_system();

-- 15 bits of epoch over 48 bits of transaction id.
create function event_log.transaction_number(id xid8) returns bigint
language sql stable as $$
  select epoch::bigint << 48 | id::text::bigint from event_log.cluster
$$;

-- Every transaction below it has ended in the caller's snapshot: no row can appear there any more.
-- Stable, so that it sees the snapshot of the statement that reads the rows.
create function event_log.horizon() returns bigint
language sql stable as $$
  select event_log.transaction_number(pg_snapshot_xmin(pg_current_snapshot()))
$$;

-- Fixed-width hexadecimal, so that positions compare as text.
create function event_log.position_text(transaction_id bigint, place bigint) returns text
language sql immutable as $$
  select lpad(to_hex(transaction_id), 16, '0') || lpad(to_hex(place), 16, '0')
$$;

create table event_log.events (
  transaction_id bigint not null default event_log.transaction_number(pg_current_xact_id()),
  position bigint not null generated always as identity,
  stream text not null,
  revision integer not null check (revision >= 0),
  event_id uuid not null,
  type text not null,
  data json,
  payload bytea,
  metadata json not null,
  -- Size of data or payload, and metadata: bounds a batch without touching TOAST.
  bytes integer not null,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (transaction_id, position),
  constraint events_stream_revision unique (stream, revision),
  check ((data is null) <> (payload is null))
);

-- Chunks are compressed before they come.
alter table event_log.events alter column payload set storage external;

-- Long operations that answer later: primary data, kept for some days after they ended.
create schema operations;

create table operations.operations (
  id uuid primary key,
  kind text not null,
  owner text not null,
  -- Presence key of the process that runs it: when it is gone, the operation has failed.
  worker text not null,
  status text not null default 'running'
    check (status in ('running', 'succeeded', 'failed', 'cancelled')),
  cancel_requested boolean not null default false,
  done bigint not null default 0,
  total bigint not null default 0,
  unit text not null,
  result json,
  error json,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index operations_running on operations.operations (worker) where status = 'running';
create index operations_ended on operations.operations (updated_at) where status <> 'running';

-- Delivery of notifications: operational primary data, which the log does not hold. References
-- only: no address, no name, no secret.
create schema notifications;

-- How far a subscriber of the log has handed on what it reads.
create table notifications.checkpoints (
  relay text primary key,
  position text not null,
  -- Sequence of the last message that the broker has acknowledged, 0 before the first.
  broker_sequence bigint not null default 0,
  updated_at timestamptz not null default clock_timestamp()
);

-- Events that somebody is told of, each taken in once however often it comes.
create table notifications.notices (
  id uuid primary key,
  type text not null,
  stream text not null,
  revision integer not null,
  taken_at timestamptz not null
);

create table notifications.notifications (
  id uuid primary key,
  notice_id uuid not null references notifications.notices,
  -- Null until somebody is found: stands for all notifications that its notice will become.
  recipient_user_id text,
  status text not null check (status in ('pending', 'delivered', 'parked', 'dropped')),
  attempts integer not null default 0,
  -- Not looked at before. An attempt puts it ahead, beyond its own end: a worker that dies in
  -- the attempt leaves it to the others.
  next_attempt_at timestamptz not null,
  last_error text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index notifications_due on notifications.notifications (next_attempt_at)
  where status = 'pending';
create index notifications_newest on notifications.notifications (created_at desc, id desc);
create index notifications_by_status on notifications.notifications
  (status, created_at desc, id desc);

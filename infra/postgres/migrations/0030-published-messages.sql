-- What the broker has acknowledged and should still have, so that what it has lost is found.
create table notifications.published (
  relay text not null,
  sequence bigint not null,
  event_id uuid not null,
  published_at timestamptz not null default clock_timestamp(),
  primary key (relay, sequence)
);

-- The server that had the stream when it was last compared with this table; null outside a cluster.
alter table notifications.checkpoints add column broker_leader text;

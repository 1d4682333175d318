-- Rules by which people are told of events. Name, address and secret are as in the log: encrypted.
create table read_model.alerts (
  id uuid primary key,
  user_id text not null,
  -- As in the log.
  alert json not null,
  catalogues uuid[] not null,
  -- Whether it is active, and its address confirmed.
  tells boolean not null,
  -- Versions after this place in the log are looked at.
  since text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index alerts_of_user on read_model.alerts (user_id);
create index alerts_of_catalogue on read_model.alerts using gin (catalogues);

-- What alerts tell waits where notifications do.
alter table notifications.notifications
  alter column notice_id drop not null,
  add column alert_id uuid,
  -- The type of its message.
  add column kind text,
  add column event_id uuid,
  add column catalogue_id uuid,
  add column version integer,
  -- What is told; null once it was delivered or dropped.
  add column content json,
  -- What counts as told by it; null where it tells that the event is no more.
  add column told json,
  add column delivered_at timestamptz,
  add column response text,
  -- Whether its alert's receiver failed lately: then it waits with others of its kind.
  add column slow boolean not null default false,
  add constraint of_notice_or_alert check ((notice_id is null) <> (alert_id is null));
create index notifications_of_alert on notifications.notifications (alert_id, created_at desc, id desc)
  where alert_id is not null;
-- The messages of an event follow each other.
create index notifications_of_told_event on notifications.notifications (alert_id, event_id)
  where alert_id is not null and status = 'pending';
create index notifications_of_alerts_due on notifications.notifications (slow, next_attempt_at)
  where alert_id is not null and status = 'pending';

-- What was told of an event last, where it is not what it is now, or waits to be sent.
create table notifications.alert_told (
  alert_id uuid not null,
  event_id uuid not null,
  -- Null where it was told to be no more.
  told json,
  primary key (event_id, alert_id)
);

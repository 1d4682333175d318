-- Answers to writes are encrypted with the key of the user that they are about, by default the one who
-- got them, and go with either. Where `about` is null the body is in clear: it was kept before this.
alter table vault.idempotency_keys
  add column about text references vault.user_keys on delete cascade;
create index idempotency_keys_about on vault.idempotency_keys (about);

-- Those in clear that name people: a repeated request is told that it was carried out.
update vault.idempotency_keys set body = null
where body like '{"user":%' or body like '{"request":%';

-- The answers to writes that came with an Idempotency-Key, for a day. Answers may name people, so
-- they are in the vault, and go with the user who got them.
create table vault.idempotency_keys (
  user_id text not null references vault.user_keys on delete cascade,
  key text not null,
  -- HMAC of the request: the body may hold a password.
  request_hash bytea not null check (length(request_hash) = 32),
  -- The command that every run of the request is.
  command_id uuid not null,
  -- The process that runs the request, as infra/postgres/presence names it; null when none does.
  worker text,
  created_at timestamptz not null default now(),
  -- The answer; without a status there is none yet.
  status integer,
  headers json,
  -- Null where the answer is too large to be kept.
  body text,
  primary key (user_id, key),
  check (status is null or worker is null)
);
create index idempotency_keys_age on vault.idempotency_keys (created_at);

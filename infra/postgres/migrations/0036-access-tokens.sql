-- Credentials of scripts: built from the log by the projection "users", with name and HA1 decrypted. The
-- secret itself is nowhere; a token is found by its SHA-256. Ended ones stay, so that their use can be told
-- from that of an unknown secret.
create table read_model.access_tokens (
  id uuid primary key,
  user_id text not null,
  name text not null,
  scopes text[] not null,
  -- The only catalogues that are there for it; null for all of its owner's.
  catalogues uuid[],
  secret_hash bytea not null unique,
  -- MD5 of id, realm and secret, by which HTTP Digest is checked (RFC 7616, 3.4.2).
  ha1 text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index access_tokens_user on read_model.access_tokens (user_id);

-- When an access token was last used, to the minute; not in the log.
create table vault.token_uses (
  token_id uuid primary key,
  user_id text not null references vault.user_keys on delete cascade,
  last_used timestamptz not null
);
create index token_uses_user on vault.token_uses (user_id);

-- Password reset: of a token only its SHA-256 is kept; the token itself is in the mail alone.
create table vault.reset_tokens (
  token_hash bytea primary key check (length(token_hash) = 32),
  user_id text not null references vault.credentials on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index reset_tokens_user on vault.reset_tokens (user_id);

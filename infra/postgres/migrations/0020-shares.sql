-- Addresses by which whoever knows their secret may read one catalogue: built from the log by the projection
-- "catalogues". The secret itself is nowhere; an address is found by its SHA-256.
create table read_model.shares (
  id uuid primary key,
  catalogue_id uuid not null,
  label text,
  secret_hash bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz
);
create index shares_of_catalogue on read_model.shares (catalogue_id);

-- When a share was last used, to the minute; not in the log.
create table vault.share_uses (
  share_id uuid primary key,
  last_used timestamptz not null
);

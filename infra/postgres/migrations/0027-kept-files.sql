-- What is kept of an upload is the file itself, since what its columns are said to be decides how it is read.
-- Uploads of before are dropped. Logged: a crash of the server loses none.
drop table operations.kept_upload_pieces;
drop table operations.kept_uploads;

create table operations.kept_uploads (
  id uuid primary key,
  owner text not null,
  created_at timestamptz not null default clock_timestamp(),
  -- Of the pieces as they are stored.
  bytes bigint not null default 0,
  -- How the file is read: {extension, delimiter, headers, members, rowCount, pieces}; null while it arrives.
  reading json,
  -- The request's key, and the hash of what it brought.
  key text,
  hash bytea,
  unique (owner, key)
);
create index kept_uploads_of_owner on operations.kept_uploads (owner, created_at desc);
create index kept_uploads_age on operations.kept_uploads (created_at);

-- zstd frames of a file's bytes, in order.
create table operations.kept_upload_pieces (
  upload uuid not null references operations.kept_uploads on delete cascade,
  place integer not null,
  content bytea not null,
  primary key (upload, place)
);

-- Rows of uploaded files, kept for a day so that events can be made of them without sending them back.
-- Unlogged: a lost one is uploaded again.
create unlogged table operations.kept_uploads (
  id uuid primary key,
  owner text not null,
  created_at timestamptz not null default clock_timestamp(),
  -- Null while the file is being read.
  headers json,
  row_count integer,
  pieces integer
);
create index kept_uploads_of_owner on operations.kept_uploads (owner, created_at desc);
create index kept_uploads_age on operations.kept_uploads (created_at);

-- zstd frames of JSON lists of rows, in order.
create unlogged table operations.kept_upload_pieces (
  upload uuid not null references operations.kept_uploads on delete cascade,
  place integer not null,
  rows bytea not null,
  primary key (upload, place)
);

-- SHA-256 of the canonical form of versions, computed when somebody asks for it. Versions never change, but
-- their numbers may come again with other events after the log was restored: the content hash tells them apart.
create table operations.version_hashes (
  catalogue_id uuid not null,
  version integer not null,
  content_hash text not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  computed_at timestamptz not null default clock_timestamp(),
  primary key (catalogue_id, version, content_hash)
);

-- Revisions that were given up, until all that they have written is removed and what they have ended is not ended any
-- more: some thousands of rows in each transaction, by the projection "catalogues". No revision is opened meanwhile.
create table read_model.abandoned_revisions (
  catalogue_key integer not null,
  revision integer not null,
  primary key (catalogue_key, revision)
);
-- By which its rows are found; equal entries take few bytes.
create index bulletins_revision on read_model.bulletins (catalogue_key, revision);
create index bulletin_magnitudes_revision on read_model.bulletin_magnitudes (catalogue_key, revision);

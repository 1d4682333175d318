-- What people decided of events of a merge's sources, built from the log by the projection "catalogues": those that
-- hold. `events` and `note` as contracts/merge/merge-decision.ts has them, `actor` and `at` of whoever made it.
create table read_model.merge_decisions (
  catalogue_id uuid not null,
  id uuid not null,
  type text not null,
  events json not null,
  note text,
  actor text not null,
  at timestamptz not null,
  primary key (catalogue_id, id)
);

alter table read_model.catalogues
  -- The version that the merge, or its last refresh, left; null of catalogues that are no merges.
  add column merge_revision integer,
  -- How many events of the log have changed its decisions.
  add column merge_decided integer not null default 0;
update read_model.catalogues set merge_revision = 1 where merge_config is not null;

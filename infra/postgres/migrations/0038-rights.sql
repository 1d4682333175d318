-- Who may read and change a catalogue. Restricted ones are there for their members alone; `editing` says whether
-- others who read one and have the role may change it (all), or only members with the right to (members).
alter table read_model.catalogues
  add column is_restricted boolean not null default false,
  add column editing text not null default 'all';

-- Members of catalogues, each a user or a group; also of users and groups that were deleted since, which nobody is.
create table read_model.catalogue_members (
  catalogue_id uuid not null,
  member_id text not null,
  kind text not null,
  member_right text not null,
  primary key (catalogue_id, member_id)
);
create index catalogues_of_member on read_model.catalogue_members (member_id);
insert into read_model.catalogue_members
  select id, created_by, 'user', 'own' from read_model.catalogues;

-- Catalogues that were restricted when they were deleted: what was made of them names them to administrators alone.
create table read_model.restricted_remains (catalogue_id uuid primary key);

-- Groups of users: built from the log by the projection "users".
create table read_model.groups (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create table read_model.group_members (
  group_id text not null,
  user_id text not null,
  primary key (group_id, user_id)
);
create index groups_of_user on read_model.group_members (user_id);

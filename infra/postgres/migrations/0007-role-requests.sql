-- Read model of role requests: built from the log by the projection "users", with texts decrypted.
-- Address and name of the requester are read from read_model.users, so that they are never outdated.
create table read_model.role_requests (
  id uuid primary key,
  user_id text not null,
  -- The role when it was asked; the contract's name for it is a reserved word.
  role_before text not null,
  requested_role text not null,
  justification text not null,
  status text not null,
  admin_notes text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  reviewed_at timestamptz,
  reviewed_by text
);
create index role_requests_user on read_model.role_requests (user_id);
create index role_requests_newest on read_model.role_requests (created_at desc, id desc);

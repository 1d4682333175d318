-- The vault: primary data about accounts that is never in the log and cannot be rebuilt from it.
create schema vault;

-- Random keys of the service, made by the setup step.
create table vault.secrets (
  name text primary key,
  value bytea not null
);

-- The key that a user's email and name are encrypted with in the log. Deleting the row forgets the
-- person, and takes the credentials and sessions along.
create table vault.user_keys (
  user_id text primary key,
  key bytea not null check (length(key) = 32)
);

create table vault.credentials (
  user_id text primary key references vault.user_keys on delete cascade,
  password_hash text not null,
  updated_at timestamptz not null,
  last_login_at timestamptz
);

create table vault.sessions (
  id uuid primary key,
  user_id text not null references vault.credentials on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index sessions_user on vault.sessions (user_id);

-- What each role may do, written by the setup step.
create table vault.role_definitions (
  role text primary key,
  permissions text[] not null
);

-- Read model of accounts: built from the log by the projection "users", with email and name decrypted.
create table read_model.users (
  id text primary key,
  email text not null,
  -- Names the address without regard to case; what a login looks for.
  email_hmac text not null unique,
  name text not null,
  role text not null,
  is_active boolean not null,
  email_verified boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index users_newest on read_model.users (created_at desc, id desc);
create index users_administrators on read_model.users (id) where role = 'admin' and is_active;

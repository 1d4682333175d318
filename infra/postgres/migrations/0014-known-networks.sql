-- The networks that users have signed in from, so that whoever tries a user's password does not keep
-- the user out. A network is named by a hash that the key outside the database goes into: neither
-- where it is nor whether two users share it can be told from here.
create table vault.known_networks (
  user_id text not null references vault.credentials on delete cascade,
  network bytea not null check (length(network) = 32),
  last_at timestamptz not null,
  primary key (user_id, network)
);
create index known_networks_age on vault.known_networks (last_at);

-- Which process does the work that one does at a time. A lease is held while it is renewed; its number
-- grows with every holder, and what is written under it is written only while the number stands.
create schema coordination;

create table coordination.leases (
  name text primary key,
  -- Names the process, as its connections do that write under the lease; null where it was given back.
  holder text,
  number bigint not null,
  -- The connection that renews: a holder that was killed is known by its end at once.
  backend_pid integer not null,
  backend_start timestamptz not null,
  expires_at timestamptz not null
);

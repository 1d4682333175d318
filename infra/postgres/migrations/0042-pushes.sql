-- Connections over which agencies send what they have: primary data of the one process that keeps them.
create table operations.agency_pushes (
  agency text primary key,
  -- Null while there is none.
  connected_since timestamptz,
  -- When the last one was lost, null before.
  lost_at timestamptz
);

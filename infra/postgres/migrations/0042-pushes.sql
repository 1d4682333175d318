-- Connections over which agencies send what they have: primary data of the one process that keeps them.
create table operations.agency_pushes (
  agency text primary key,
  -- Null while there is none.
  connected_since timestamptz,
  -- When the last one was lost, null before.
  lost_at timestamptz
);

-- When the process that has it claimed a schedule: for messages too, which are no run by its clock. The agency's ids
-- of the events that messages told of since the last run: what is known of them is not what the catalogue has.
alter table operations.schedule_states
  add column claimed_at timestamptz,
  add column pushed text[] not null default '{}';
update operations.schedule_states set claimed_at = last_run where worker is not null;

-- The states of decision streams of catalogues, so that a decision reads only what came after. Each is made
-- anew from the log where it is missing, of another shape, or of another log: its last event tells.
create table coordination.catalogue_states (
  stream text primary key,
  -- The number of the form of `state`.
  shape integer not null,
  -- The last event that the state covers.
  revision integer not null,
  event_id uuid not null,
  state json not null
);

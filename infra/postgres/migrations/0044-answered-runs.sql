-- When the last run began that the agency answered, whatever was asked for.
alter table operations.schedule_states add column last_asked timestamptz;

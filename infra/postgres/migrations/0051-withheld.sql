-- Events that the agency had no more, but which were too many to be withdrawn; null for none.
alter table read_model.imports add column withheld integer;
alter table operations.schedule_runs add column withheld integer;
-- Those of the last whole run, as contracts/schedule.ts has them; null for none.
alter table operations.schedule_states add column withheld json;

-- Rows of a joined file that are about no event, {count, rows}, of which the first are listed; null for other runs.
alter table read_model.imports add column unmatched json;
alter table operations.schedule_runs add column unmatched json;

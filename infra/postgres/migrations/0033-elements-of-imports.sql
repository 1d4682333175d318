-- The elements of bulletins that a run read, as contracts/element-tallies.ts has them; null where there were none.
alter table read_model.imports add column elements json;

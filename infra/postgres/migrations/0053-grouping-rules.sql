-- The rules that grouped the events of a merge (GROUPING_RULES); null for those before they were numbered.
alter table read_model.catalogues add column merge_rules integer;

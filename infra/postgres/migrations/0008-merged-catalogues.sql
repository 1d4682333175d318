-- How a merged catalogue came to be, as contracts/merge-config.ts has it; null of every other.
alter table read_model.catalogues
  add column merge_config json,
  add column source_catalogues json;

-- Merges were all by complete linkage before it could be chosen; where the projection writes it.
update read_model.catalogues
  set merge_config = (left(merge_config::text, -1) || ',"linkage":"complete"}')::json
  where merge_config is not null;

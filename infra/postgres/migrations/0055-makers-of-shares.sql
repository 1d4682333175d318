-- Who made a share, by user id. Null of those before this, where the log is kept elsewhere, until the read model is
-- rebuilt.
alter table read_model.shares add column made_by text;
update read_model.shares s set made_by = e.metadata ->> 'actor'
from event_log.events e
where e.stream = 'catalogue-' || s.catalogue_id and e.type = 'CatalogueShared'
  and (e.data ->> 'shareId')::uuid = s.id;
create index shares_of_maker on read_model.shares (made_by);

-- Newest first, one owner's or all.
create index operations_newest on operations.operations (created_at desc, id desc);
create index operations_of_owner on operations.operations (owner, created_at desc, id desc);

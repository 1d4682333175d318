-- What an analysis reads, [{id, version}]: whoever may read all of it may see the operation. Null for others.
alter table operations.operations add column reads json;

-- Whether the versions of a catalogue are kept as files for engines.
alter table read_model.catalogues add column parts boolean not null default false;
create index catalogues_with_parts on read_model.catalogues (key) where parts;

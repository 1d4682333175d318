-- The first version of a catalogue that guests may read; null while it is private. Of those that are
-- public by now guests could read every version, and go on so.
alter table read_model.catalogues add column public_from integer;
update read_model.catalogues set public_from = 1 where is_public;

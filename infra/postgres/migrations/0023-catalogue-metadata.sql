-- What a catalogue is cited by, as contracts/catalogue-metadata.ts has it; null without any.
alter table read_model.catalogues add column metadata json;

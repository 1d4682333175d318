-- Regions that people have saved: built from the log by the projection "catalogues".
create table read_model.regions (
  id uuid primary key,
  name text not null,
  note text,
  -- GeoJSON, as it was given.
  geometry json not null,
  -- Of what the geometry is, for answers by the region that are kept.
  revision text not null,
  -- West, south, east and north; a west above the east is a box across the antimeridian.
  bbox double precision[] not null,
  -- Without those that close rings.
  vertices integer not null,
  created_at timestamptz not null,
  -- User ids.
  created_by text not null,
  updated_at timestamptz not null,
  updated_by text not null
);
create index regions_newest on read_model.regions (created_at desc, id desc);

-- The region of a schedule's filters; null for none.
alter table read_model.schedules add column region uuid;
create index schedules_of_region on read_model.schedules (region) where region is not null;

-- The western and eastern end of a catalogue's smallest box: going east from the one to the other there are
-- all its events. Null without events.
alter table read_model.catalogues
  add column box_west double precision,
  add column box_east double precision;

-- A box begins behind the widest gap between longitudes; the first longitude has the gap across 180° before it.
update read_model.catalogues c set box_west = box.west, box_east = box.east
from (
  select distinct on (catalogue_key) catalogue_key, longitude as west, before as east
  from (
    select catalogue_key, longitude,
      coalesce(
        lag(longitude) over (partition by catalogue_key order by longitude),
        max(longitude) over (partition by catalogue_key)
      ) as before
    from (
      select distinct e.catalogue_key, e.longitude
      from read_model.seismic_events e join read_model.catalogues v on v.key = e.catalogue_key
      where e.revision_from <= v.version and (e.revision_to is null or e.revision_to > v.version)
    ) places
  ) gaps
  order by catalogue_key,
    longitude - before + case when before < longitude then 0 else 360 end desc, longitude
) box
where box.catalogue_key = c.key;

-- Where pages by number lie: the events of a catalogue in blocks of some thousands by time, built from the log by the
-- projection "catalogues". A version sees the blocks with revision_from <= version and (revision_to is null or
-- revision_to > version), as it does seismic events.
create table read_model.event_blocks (
  catalogue_key integer not null,
  -- Of the time from here to the next block of the version; the first block's is -infinity.
  since timestamptz not null,
  revision_from integer not null,
  revision_to integer,
  events integer not null,
  primary key (catalogue_key, since, revision_from)
);
-- Blocks of the latest version are a range, those of others near it one more.
create index event_blocks_version on read_model.event_blocks (catalogue_key, revision_to, since);

-- Counts what a revision has changed into the blocks of the one before, once all of its rows are there. Tables are
-- those of the caller's search_path. A block is divided when its count passes a multiple of some number, so that one
-- whose events all have the same time is not looked through at every change; the number is 0.5 to 1.5 of "most", else
-- all blocks of a catalogue that grows evenly would be divided at once. Without statistics of the rows the planner
-- would sort what comes in order or in groups, and go through all blocks for each.
create function read_model.keep_event_blocks(catalogue integer, revision integer, most integer default 8000)
returns void language plpgsql set enable_sort = off set enable_nestloop = off as $$
declare
  most_of_block integer;
  until timestamptz;
  block record;
begin
  for block in
    with changes as materialized (
      select time, 1 as change from seismic_events where catalogue_key = catalogue and revision_from = revision
      union all
      select time, -1 from seismic_events where catalogue_key = catalogue and revision_to = revision
    ), present as materialized (
      select since, events from event_blocks
      where catalogue_key = catalogue and revision_to is null and since <= (select max(time) from changes)
        and since >= (
          select since from event_blocks
          where catalogue_key = catalogue and revision_to is null and since <= (select min(time) from changes)
          order by since desc limit 1)
    ), blocks as materialized (
      select since, events, row_number() over (order by since) as place
      from (
        select since, events from present
        union all select '-infinity', 0 where not exists (select from present)
      ) each
    ), counts as (
      select width_bucket(time, (select array_agg(since order by place) from blocks)) as place,
        sum(change)::integer as change
      from changes group by place having sum(change) <> 0
    )
    select since, events as before, events + change as events
    from counts join blocks using (place)
    order by since
  loop
    update event_blocks set revision_to = revision
    where catalogue_key = catalogue and since = block.since and revision_to is null;
    most_of_block := case
      when isfinite(block.since)
      then most / 2 + most * abs(mod(extract(epoch from block.since) * 1000000, 1009))::integer / 1009
      else most end;
    if block.events / most_of_block > block.before / most_of_block then
      until := (
        select since from event_blocks
        where catalogue_key = catalogue and revision_to is null and since > block.since
        order by since limit 1);
      -- Events of one time are of one block.
      insert into event_blocks (catalogue_key, since, revision_from, events)
      select catalogue, case when part = 0 then block.since else min(time) end, revision, count(*)
      from (
        select time, (rank() over (order by time) - 1) * 4 / most as part
        from seismic_events
        where catalogue_key = catalogue and time >= block.since and time < coalesce(until, 'infinity')
          and revision_from <= revision and (revision_to is null or revision_to > revision)
      ) divided
      group by part;
    else
      insert into event_blocks (catalogue_key, since, revision_from, events)
      values (catalogue, block.since, revision, block.events);
    end if;
  end loop;
end;
$$;

-- Of versions that there are already, as they were committed (some seconds for 1,000,000 events of many versions). Reads go on meanwhile.
set local search_path to read_model;
select keep_event_blocks(catalogue_key, version)
from (select catalogue_key, version from catalogue_versions order by catalogue_key, version) versions;
set local search_path to default;

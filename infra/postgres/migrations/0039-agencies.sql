-- Agencies that were added, and those known beforehand that were changed: built from the log by the projection
-- "catalogues". The agency of the configuration is not among them.
create table read_model.agencies (
  id text primary key,
  name text not null,
  url text not null,
  dialect text not null,
  enabled boolean not null,
  -- Null where it is not known.
  max_per_request integer,
  requests_at_once integer not null,
  -- Null where the agency sends no messages.
  push text
);

-- Whom an import asked, and the revision that it opened. Null for imports before this, where the log is kept
-- elsewhere, until the read model is rebuilt.
alter table read_model.imports add column agency_id text, add column revision integer;

-- The slug of the agency's name (contracts/agency.ts).
update read_model.imports i
set revision = (e.data ->> 'revision')::integer,
  agency_id = coalesce(nullif(trim(both '-' from left(regexp_replace(
    lower(regexp_replace(normalize(e.data ->> 'agency', NFD), '[\u0300-\u036f]', '', 'g')),
    '[^a-z0-9]+', '-', 'g'), 64)), ''), 'agency')
from event_log.events e
where e.type = 'ImportStarted' and (e.data ->> 'importId')::uuid = i.id;

create index imports_of_agency on read_model.imports (catalogue_id, agency_id, revision);

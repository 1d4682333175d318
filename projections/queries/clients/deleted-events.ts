import { type FragmentSqlToken, sql } from "slonik";
import { isPresent, type VersionRows, visibleAt } from "../events/resolve-version.ts";

/**
 * Events that an earlier version had and the version has no more, of those from `from` on (`firstReadable`):
 * beside the version's own events, or alone.
 */
export type WantedDeleted = { readonly which: "also" | "only"; readonly from: number };

type Selection = {
  readonly version: VersionRows;
  readonly query: {
    readonly deleted: WantedDeleted | null;
    readonly changedAfter: number | null;
  };
};

/** The rows `e` of a version's events and of the wanted ones that it has no more: of each its last. */
export function eventsWanted(
  version: VersionRows,
  deleted: WantedDeleted | null,
): FragmentSqlToken {
  if (deleted === null) return visibleAt(version);
  const { key, version: number } = version;
  const isLast = sql.fragment`not exists (
    select from read_model.seismic_events later
    where later.catalogue_key = e.catalogue_key and later.event_id = e.event_id
      and later.revision_from >= e.revision_to and later.revision_from <= ${number})`;
  const isDeleted = sql.fragment`e.revision_to <= ${number} and e.revision_to > ${deleted.from}
    and ${isLast}`;
  const wanted =
    deleted.which === "only"
      ? isDeleted
      : sql.fragment`(e.revision_to is null or e.revision_to > ${number} or (${isDeleted}))`;
  return sql.fragment`e.catalogue_key = ${key} and e.revision_from <= ${number} and ${wanted}
    and ${isPresent(version)}`;
}

/** A text where the row is of an event that the version has no more, else null. */
export function deletedColumn({ version, query }: Selection): FragmentSqlToken {
  if (query.deleted === null) return sql.fragment`null::text`;
  return sql.fragment`case when e.revision_to <= ${version.version} then 'deleted' end`;
}

/** The version that last changed or removed the event. */
export function lastChange({ version, query }: Selection): FragmentSqlToken {
  if (query.deleted === null) return sql.fragment`e.revision_from`;
  return sql.fragment`case when e.revision_to <= ${version.version} then e.revision_to
    else e.revision_from end`;
}

/** By the version that last changed or removed the event. */
export function changedAfterVersion({ version, query }: Selection): FragmentSqlToken | null {
  const { changedAfter, deleted } = query;
  if (changedAfter === null) return null;
  const isChanged = sql.fragment`revision_from > ${changedAfter}`;
  if (deleted === null) return isChanged;
  return sql.fragment`(${isChanged}
    or (revision_to > ${changedAfter} and revision_to <= ${version.version}))`;
}

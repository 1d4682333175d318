import { sql } from "slonik";
import { z } from "zod";
import type { Lookups, Statements } from "#infra/postgres/statements.ts";
import { EventKey } from "../events/event-cursor.ts";
import { filterConditions } from "../events/event-filters.ts";
import { type VersionRows, visibleAt } from "../events/resolve-version.ts";
import { beyond, type EventSelection, orderBy } from "../events/selection.ts";

/** A part of a walk along a selection: `count` keys, each `stride` events after the previous one. */
export type KeyWalk = {
  readonly selection: EventSelection;
  /** The key before the first; null for the start of the order. */
  readonly after: EventKey | null;
  readonly stride: number;
  readonly count: number;
};

/**
 * The keys in order; fewer at the end of the selection.
 * @param statements connections that a walk may occupy: it takes 1 to 1.6 µs per event
 */
export function walkKeys(
  statements: Pick<Statements, "any">,
  walk: KeyWalk,
): Promise<readonly EventKey[]> {
  return statements.any(walkQuery(walk));
}

/**
 * The walk follows the index of the order and reads every row, since only the row tells in which
 * versions it is visible.
 */
export function walkQuery({ selection, after, stride, count }: KeyWalk) {
  const { version, order, filters } = selection;
  const from = after ? beyond(order, { key: after, side: "after" }) : sql.fragment`true`;
  const inOrder = orderBy(order, false);
  return sql.type(EventKey)`
    select magnitude, time::text, event_id as id from (
      select magnitude, time, event_id, row_number() over (order by ${inOrder}) as place
      from read_model.seismic_events
      where ${visibleAt(version)} and ${filterConditions(filters)} and ${from}
      order by ${inOrder}
      limit ${stride * count}
    ) as walked
    where place % ${stride} = 0
    order by place`;
}

const Content = z.object({ content: z.string() });

/**
 * Identifies the content of a version, in case the same version number had other content before: by
 * the time of its commit, which differs when history was rewritten after a restore, and by the table
 * of its rows, which a rebuild replaces. Null when the version is gone.
 */
export async function contentOf(
  lookups: Lookups,
  { id, version }: VersionRows,
): Promise<string | null> {
  const row = await lookups.maybeOne(sql.type(Content)`
    select v.created_at::text || ' ' || 'read_model.seismic_events'::regclass::oid::text as content
    from read_model.catalogues c join read_model.catalogue_versions v on v.catalogue_key = c.key
    where c.id = ${id}::uuid and v.version = ${version}`);
  return row?.content ?? null;
}

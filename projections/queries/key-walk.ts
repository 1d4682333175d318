import { sql } from "slonik";
import { z } from "zod";
import type { Lookups, Statements } from "#infra/postgres/statements.ts";
import { EventKey } from "./event-cursor.ts";
import { filterConditions } from "./event-filters.ts";
import { beyond, type EventSelection, orderBy } from "./event-pages.ts";
import { type VersionRows, visibleAt } from "./resolve-version.ts";

/** Part of a walk along a selection: so many keys, each `stride` events behind the one before. */
export type KeyWalk = {
  readonly selection: EventSelection;
  /** Where it begins; null for the start of the order. */
  readonly after: EventKey | null;
  readonly stride: number;
  readonly count: number;
};

/**
 * The keys, in their order; fewer than asked for where the selection ends.
 * @param statements that a walk may keep busy: it takes 1 to 1.6 µs for an event
 */
export function walkKeys(
  statements: Pick<Statements, "any">,
  walk: KeyWalk,
): Promise<readonly EventKey[]> {
  return statements.any(walkQuery(walk));
}

/** The index of the order is gone along, and every row is looked at: it alone says which versions see it. */
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
 * Tells the content of a version from any other that the same version may have had: by the time of its
 * commit, which a history that was written anew after a restore does not have, and by the table of its rows,
 * which a rebuild replaces. Null where the version is gone.
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

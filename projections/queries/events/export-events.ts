import type { Pool, PoolClient } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import type { EventOrder } from "#contracts/query/filter-parameters.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { type CopyForm, copyBytes } from "#infra/postgres/copy/copy-out.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { filterConditions } from "./event-filters.ts";
import { EVENT_COLUMNS } from "./event-rows.ts";
import { eventsShown } from "./event-source.ts";
import { type ResolvedVersion, type VersionRows, visibleAt } from "./resolve-version.ts";
import { orderBy } from "./selection.ts";

/** The events to export: those of one version that satisfy the filters, in an order. */
type ExportSelection = {
  readonly version: ResolvedVersion;
  readonly filters: EventFilters;
  readonly order: EventOrder;
  /** A column after EVENT_COLUMNS. */
  readonly further?: FragmentSqlToken;
};

export async function countExported(
  pool: Pick<Pool, "query">,
  { version, filters }: Omit<ExportSelection, "order" | "further">,
): Promise<number> {
  if (Object.values(filters).every((value) => value === undefined)) return version.eventCount;
  const statements = statementsOn(pool as Parameters<typeof statementsOn>[0]);
  const { count } = await statements.one(sql.type(z.object({ count: z.int() }))`
    select count(*) as count from read_model.seismic_events
    where ${visibleAt(version)} and ${filterConditions(filters)}`);
  return count;
}

/**
 * The events as rows in one of COPY's formats, as received from the database.
 * @param signal releases the connection, whatever the database is doing
 * @throws Refusal UNAVAILABLE when no connection is free
 */
export async function* exportedBytes(
  pool: Pool,
  selection: ExportSelection,
  signal: AbortSignal,
  form: CopyForm,
): AsyncGenerator<Buffer> {
  yield* copyBytes(await exportConnection(pool), exportQuery(selection), signal, form);
}

/** All rows of a version as EVENT_COLUMNS, in order of their ids. */
export function rowsInOrderOfIds(version: VersionRows): FragmentSqlToken {
  return sql.fragment`
    select ${EVENT_COLUMNS} from read_model.seismic_events
    where ${visibleAt(version)} order by event_id`;
}

/** @throws Refusal UNAVAILABLE when no connection is free */
export function exportConnection(pool: Pool): Promise<PoolClient> {
  return pool.connect().catch((cause: unknown) => {
    throw new Refusal("UNAVAILABLE", "Too many exports run at once; try again", { cause });
  });
}

function exportQuery({ version, filters, order, further }: ExportSelection): FragmentSqlToken {
  const last = further === undefined ? sql.fragment`` : sql.fragment`, ${further}`;
  return sql.fragment`
    select ${EVENT_COLUMNS} ${last} from ${eventsShown(version)}
    where ${visibleAt(version)} and ${filterConditions(filters)}
    order by ${orderBy(order, false)}`;
}

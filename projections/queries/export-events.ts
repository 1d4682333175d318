import type { Pool } from "pg";
import { type DatabasePool, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { ApiError } from "#contracts/errors.ts";
import type { EventFilters } from "#contracts/http/catalogue-events.ts";
import type { ExportRow } from "#infra/formats/export-row.ts";
import { copyOut } from "#infra/postgres/copy-out.ts";
import { literalSql } from "#infra/postgres/literal-sql.ts";
import type { EventOrder } from "./event-cursor.ts";
import { filterConditions } from "./event-filters.ts";
import { orderBy } from "./event-pages.ts";
import { EVENT_COLUMNS, toExportRow } from "./event-rows.ts";
import { type ResolvedVersion, visibleAt } from "./resolve-version.ts";

/** What is exported: events of one version that satisfy the filters, in an order. */
export type ExportSelection = {
  readonly version: ResolvedVersion;
  readonly filters: { readonly [N in keyof EventFilters]?: EventFilters[N] | undefined };
  readonly order: EventOrder;
};

/** The rows were not those that were counted: the catalogue was deleted meanwhile. */
export class ExportInterrupted extends Error {
  override readonly name = "ExportInterrupted";
}

/** How many events an export has. */
export async function countExported(
  pool: DatabasePool,
  { version, filters }: Omit<ExportSelection, "order">,
): Promise<number> {
  if (Object.values(filters).every((value) => value === undefined)) return version.eventCount;
  const { count } = await pool.one(sql.type(z.object({ count: z.int() }))`
    select count(*) as count from read_model.seismic_events
    where ${visibleAt(version)} and ${filterConditions(filters)}`);
  return count;
}

/**
 * The events in batches of some hundred, as they come from the database.
 * @throws ApiError UNAVAILABLE when no connection is free; ExportInterrupted at the end, when they
 * were not `count`
 */
export async function* exportedRows(
  pool: Pool,
  selection: ExportSelection,
  count: number,
): AsyncGenerator<ExportRow[]> {
  const client = await pool.connect().catch((cause: unknown) => {
    throw new ApiError("UNAVAILABLE", "Too many exports run at once; try again", { cause });
  });
  let seen = 0;
  for await (const rows of copyOut(client, literalSql(exportQuery(selection)))) {
    seen += rows.length;
    yield rows.map(toExportRow);
  }
  if (seen !== count) throw new ExportInterrupted(`${seen} of ${count} events were there`);
}

/** The query of an export; its rows are for `toExportRow`. */
export function exportQuery({ version, filters, order }: ExportSelection): FragmentSqlToken {
  return sql.fragment`
    select ${EVENT_COLUMNS} from read_model.seismic_events
    where ${visibleAt(version)} and ${filterConditions(filters)}
    order by ${orderBy(order, false)}`;
}

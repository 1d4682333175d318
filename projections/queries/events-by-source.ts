import type { ClientBase } from "pg";
import { sql } from "slonik";
import { ATTRIBUTE_NAMES, STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { copyRows } from "#infra/postgres/copy-out.ts";
import { literalSql } from "#infra/postgres/literal-sql.ts";
import { createRecordReader } from "./copied-records.ts";
import { type ResolvedVersion, rowsOf } from "./resolve-version.ts";

type Base = Pick<ResolvedVersion, "key" | "version">;

const COLUMNS = ["event_id", "time", "time_digits", ...ATTRIBUTE_NAMES, ...STRUCTURED_NAMES];
const EVENT_ID = COLUMNS.indexOf("event_id");
const recordOf = createRecordReader(COLUMNS);

/**
 * The events of the latest version with the given source ids, by source id, in one query: for
 * thousands of them, on a connection of the caller's own. Those that an open revision has superseded
 * already are left out.
 */
export async function copyEventsBySourceId(
  client: ClientBase,
  base: Base,
  sourceIds: readonly string[],
): Promise<Map<string, SeismicEvent>> {
  const found = new Map<string, SeismicEvent>();
  for await (const row of copied(client, base, COLUMNS, sourceIds)) {
    const record = recordOf(row);
    found.set(record.source_id ?? "", { id: row[EVENT_ID] ?? "", ...record });
  }
  return found;
}

/** Which of the source ids the latest version has. */
export async function copyKnownSourceIds(
  client: ClientBase,
  base: Base,
  sourceIds: readonly string[],
): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const [id] of copied(client, base, ["source_id"], sourceIds)) found.add(id ?? "");
  return found;
}

async function* copied(
  client: ClientBase,
  base: Base,
  columns: readonly string[],
  sourceIds: readonly string[],
): AsyncGenerator<(string | null)[]> {
  if (sourceIds.length === 0) return;
  const list = sql.join(
    columns.map((name) => sql.identifier([name])),
    sql.fragment`, `,
  );
  const query = sql.fragment`
    select ${list} from read_model.seismic_events
    where ${rowsOf(base)} and revision_to is null
      and source_id = any(${sql.array([...sourceIds], "text")})`;
  for await (const rows of copyRows(client, literalSql(query))) yield* rows;
}

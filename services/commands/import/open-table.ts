import type { Client } from "pg";
import type { AgencyFileOptions } from "#infra/agency/agency-client.ts";
import { AgencyError } from "#infra/agency/http/errors.ts";
import type { AgencyQuery } from "#infra/agency/query.ts";
import type { FileRow } from "#infra/formats/format-reader.ts";
import type { EncodedChunk } from "#infra/log/chunks.ts";
import { recordChanges } from "../changes/change-writer.ts";
import type { Chunk } from "../changes/chunks-of-thread.ts";
import type { CatalogueTarget, Changes } from "../changes/revision-changes.ts";
import { joinRows, type RefusedRows } from "../joins/join-rows.ts";
import type { ReadRow } from "../joins/read-joined-row.ts";
import type { Tally } from "./import-tally.ts";
import type { ScheduledRun } from "./import-worker.ts";
import {
  type KnownTable,
  openKnownTable,
  packKnownTable,
  readTable,
  type TableFile,
} from "./read-table.ts";
import type { ScheduledReading } from "./scheduled-reading.ts";
import { createTableReading, unchangedReading } from "./table-reading.ts";

/** The file of an agency that is one. */
export type OpenedTable =
  | { readonly file: TableFile }
  /** It is as it was. */
  | { readonly known: KnownTable };

type AskedAgency = Omit<AgencyFileOptions, "maxBytes"> & { readonly fileBytes?: number };

type Asked = Pick<ScheduledRun, "known" | "missed" | "table">;

/**
 * Asks an agency that is a file for it; null for any other agency. It is asked for whatever it is where events are
 * withheld that it had not, and by a join where rows of it were about no event and the catalogue has changed since.
 * @throws as `readTable`
 */
export async function openTable(
  { fileBytes, ...agency }: AskedAgency,
  { known: packed, missed = {}, table = {} }: Asked,
  target: CatalogueTarget,
  signal: AbortSignal,
): Promise<OpenedTable | null> {
  if (fileBytes === undefined) return null;
  const known = openKnownTable(packed);
  const isJoinedAgain = known !== null && table.join !== undefined && mayMatchNow(known, target);
  const isAgain = isJoinedAgain || Object.keys(missed).length > 0;
  const marks = isAgain ? null : (known?.marks ?? null);
  const file = await readTable({ ...agency, maxBytes: fileBytes }, table, marks, signal);
  if (file !== null) return { file };
  if (known === null) throw new Error("an unknown file is as it was");
  return { known };
}

/** How its rows are imported. */
export function readingOf(
  opened: OpenedTable,
  options: { readonly query: AgencyQuery; readonly nowMs: number; readonly version: number },
): ScheduledReading {
  return "file" in opened
    ? createTableReading(opened.file, options)
    : unchangedReading(opened.known);
}

type JoinTarget = {
  readonly client: Client;
  readonly target: CatalogueTarget;
  readonly tally: Tally;
  readonly nowMs: number;
  readonly name: string;
};

/**
 * Joins its rows to the events of a catalogue.
 * @returns the end of the run
 * @throws as `joinTable`
 */
export async function* joinOpened(opened: OpenedTable, options: JoinTarget) {
  const { changes, known } = yield* chunksOf(opened, options);
  const scheduled = { known, isWhole: true, withdrawn: 0 };
  return { outcome: "imported" as const, tally: options.tally.read(), changes, scheduled };
}

async function* chunksOf(
  opened: OpenedTable,
  options: JoinTarget,
): AsyncGenerator<Chunk, { readonly changes: Changes; readonly known: Uint8Array }> {
  if ("known" in opened) {
    const changes = recordChanges(options.target).changes();
    return { changes, known: packKnownTable(opened.known) };
  }
  const joined = joinTable(opened.file, options);
  for (let next = await joined.next(); ; next = await joined.next()) {
    if (next.done) return next.value;
    yield { chunk: next.value };
  }
}

type Options = {
  readonly client: Client;
  readonly target: CatalogueTarget;
  readonly tally: Tally;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** The agency's name. */
  readonly name: string;
};

/**
 * Joins the rows of a table's file to the events that they are about, as the chunks of a revision.
 * @returns what has changed, and what is left for the next run
 * @throws AgencyError, before there is any chunk, for a file none of whose rows has an id
 */
async function* joinTable(
  { marks, slices }: TableFile,
  { client, target, tally, nowMs, name }: Options,
): AsyncGenerator<EncodedChunk, { readonly changes: Changes; readonly known: Uint8Array }> {
  let rowCount = 0;
  const failed = (line: number, message: string, id?: string) =>
    tally.failed({
      message,
      ...(id !== undefined && { source_id: id }),
      line,
      where: `line ${line} of the file`,
    });
  const onRow = ({ line }: FileRow, read: ReadRow): void => {
    rowCount += 1;
    if (read.ok) return;
    const message = read.errors.map((error) => `${error.field} ${error.message}`).join("; ");
    failed(line, message, read.id);
  };
  const onRefused = ({ id, field, message }: RefusedRows): void =>
    tally.failed({ message: field === "event" ? message : `${field} ${message}`, source_id: id });
  const rows = slices({ error: (line, message) => failed(line, message), end: () => {} });
  const options = { preferred: false, nowMs, alive: () => {}, onRow, onRefused };
  const { chunks, changes, end } = joinRows(() => Promise.resolve(client), target, rows, options);
  yield* chunks;
  const { events, hasIds, unmatched, unmatchedCount } = end();
  if (rowCount > 0 && !hasIds) {
    throw new AgencyError(`${name}'s file has no ids: say which of its columns is source_id`);
  }
  const made = changes();
  const { added, updated, removed } = made;
  tally.joined({ events, updated, unmatched, unmatchedCount });
  const version = added + updated + removed > 0 ? target.nextVersion : target.version;
  const known = packKnownTable({ marks, isWhole: true, version, unmatched: unmatchedCount });
  return { changes: made, known };
}

/** Whether rows of the file that is known may be about events that were not there then. */
function mayMatchNow(known: KnownTable, { version }: Pick<CatalogueTarget, "version">) {
  return known.unmatched > 0 && known.version !== version;
}

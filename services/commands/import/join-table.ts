import type { Client } from "pg";
import { AgencyError } from "#infra/agency/errors.ts";
import type { EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import type { FileRow } from "#infra/formats/format-reader.ts";
import type { CatalogueTarget, Changes } from "../changes/revision-changes.ts";
import { joinRows, type RefusedRows } from "../joins/join-rows.ts";
import type { ReadRow } from "../joins/read-joined-row.ts";
import type { Tally } from "./import-tally.ts";
import { type KnownTable, packKnownTable, type TableFile } from "./read-table.ts";

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
export async function* joinTable(
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
export function mayMatchNow(known: KnownTable, { version }: Pick<CatalogueTarget, "version">) {
  return known.unmatched > 0 && known.version !== version;
}

/** Agencies that are a file: a table whose rows a schedule imports, or joins to the events that they are about. */

import type { Client } from "pg";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import type { TableReading } from "#contracts/events/imports.ts";
import { UploadReference } from "#contracts/http/uploads.ts";
import { idsOf } from "#contracts/seismic-event/public-ids.ts";
import {
  type AgencyFileOptions,
  type FileMarks,
  readAgencyFile,
} from "#infra/agency/agency-client.ts";
import { AgencyError, agencyText } from "#infra/agency/http/exchange.ts";
import type { AgencyQuery } from "#infra/agency/query.ts";
import { type AgencyProblem, createQueryTest } from "#infra/agency/windows.ts";
import type { FileReaderOptions } from "#infra/formats/files/file-reader.ts";
import type { FileRow } from "#infra/formats/format-reader.ts";
import { createIdTable } from "#services/domain/events/identity.ts";
import { faultyColumns } from "#services/domain/events/validation/columns.ts";
import { type ImportedRow, roleOf } from "#services/domain/imports/run.ts";
import { recordChanges } from "../changes/change-writer.ts";
import { joinRows, type RefusedRows } from "../changes/join-rows.ts";
import type { ReadRow } from "../changes/joined-row.ts";
import type { CatalogueTarget, Changes, Chunk } from "../changes/revision-changes.ts";
import { createSubmittedReader, RowOfBulletin } from "../events/submission.ts";
import { type RowsListener, rowsOfPieces, surveyed } from "../uploads/worker.ts";
import type { ReadBatch, ScheduledReading, ScheduledRun } from "./reading.ts";
import type { ReadEvent, Tally } from "./writer.ts";

type JoinOptions = {
  readonly client: Client;
  readonly target: CatalogueTarget;
  readonly tally: Tally;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** The agency's name. */
  readonly name: string;
};

/** A table's file that is not as it was known. */
type TableFile = NonNullable<Awaited<ReturnType<typeof readTable>>>;

/**
 * Asks an agency that is a file for it; null for any other agency. It is asked for whatever it is where events are
 * withheld that it had not, and by a join where rows of it were about no event and the catalogue has changed since.
 * @throws as `readTable`
 */
export async function openTable(
  { fileBytes, ...agency }: Omit<AgencyFileOptions, "maxBytes"> & { readonly fileBytes?: number },
  { known: packed, missed = {}, table = {} }: Pick<ScheduledRun, "known" | "missed" | "table">,
  { version }: CatalogueTarget,
  signal: AbortSignal,
) {
  if (fileBytes === undefined) return null;
  const known = openKnownTable(packed);
  // Rows of the file that is known may be about events that were not there then.
  const mayMatchNow = known !== null && known.unmatched > 0 && known.version !== version;
  const isAgain = (table.join !== undefined && mayMatchNow) || Object.keys(missed).length > 0;
  const marks = isAgain ? null : (known?.marks ?? null);
  const file = await readTable({ ...agency, maxBytes: fileBytes }, table, marks, signal);
  const opened = file ?? known;
  if (opened === null) throw new Error("an unknown file is as it was");
  return {
    /** Its rows are imported. */
    reading: (options: Options) =>
      "slices" in opened ? createTableReading(opened, options) : unchangedReading(opened),
    /** Its rows are joined to the events that they are about. */
    join: (options: JoinOptions) => joinTable(opened, options),
  };
}

/** What a run leaves of the file that it has read. */
const KnownTable = z.object({
  marks: z.object({
    etag: z.string().nullable(),
    lastModified: z.string().nullable(),
    sha256: z.string(),
  }),
  /** Whether it was known of each row which event it is. */
  isWhole: z.boolean(),
  /** Of a join: the version of the catalogue then, and how many rows were about no event. */
  version: z.int(),
  unmatched: z.int(),
});
type KnownTable = Readonly<z.infer<typeof KnownTable>>;

/** Null for nothing, or for what another kind of agency has left. */
function openKnownTable(known: Uint8Array | null): KnownTable | null {
  if (known === null) return null;
  try {
    return KnownTable.parse(JSON.parse(Buffer.from(known).toString()));
  } catch {
    return null;
  }
}

const packKnownTable = (known: KnownTable): Uint8Array =>
  new Uint8Array(Buffer.from(JSON.stringify(known)));

/**
 * Asks an agency that is a file for it; null where it is as it was known.
 * @param known null asks for it whatever it is
 * @throws as requests to agencies; AgencyError for a file that cannot be read, or has not the columns that it is
 * said to have
 */
async function readTable(
  options: AgencyFileOptions,
  table: TableReading,
  known: FileMarks | null,
  signal: AbortSignal,
) {
  const { name } = options;
  const file = await readAgencyFile(options, known, signal);
  if (file === null) return null;
  const { marks, pieces, extension } = file;
  const named = UploadReference.shape.columns.parse(table.columns);
  const columns = new Map(Object.entries(named ?? {}));
  const reading: FileReaderOptions = { extension, delimiter: "auto", columns };
  const alive = (): void => signal.throwIfAborted();
  const unusable = (why: string) => new AgencyError(`${name}'s file: ${agencyText(why)}`);
  const survey = () => {
    try {
      return surveyed(pieces, reading, alive);
    } catch (error) {
      throw error instanceof Refusal ? unusable(error.message) : error;
    }
  };
  const { unread, again, ...found } = survey();
  const [problem] = unread ?? [];
  if (problem) throw unusable(`no row can be read, from line ${problem.line}: ${problem.message}`);
  const [fault] = faultyColumns(columns, found);
  if (fault) throw unusable(`${fault.field} ${fault.message}`);
  return {
    marks,
    /** Its rows in pieces, read once. */
    slices: (listener: RowsListener) =>
      rowsOfPieces(pieces, { ...reading, ...again }, alive, listener),
  };
}

/** What a problem's place is said to be in. */
const ANSWER = "the whole file";
const PROGRESS = { done: 0, total: 1 };
const PRESENT = 1;

type Options = {
  readonly query: AgencyQuery;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** The version that the run changes. */
  readonly version: number;
};

/**
 * The rows of a table's file for a schedule that imports them: those in the query's window and within its bounds.
 * All of its rows are there for the agency, so that none is withdrawn whose event lies beside them now.
 */
function createTableReading(
  { marks, slices }: TableFile,
  { query, nowMs, version }: Options,
): ScheduledReading {
  const names = createIdTable();
  const read = createSubmittedReader({ nowMs });
  const isWanted = createQueryTest(query);
  const withBulletins = query.detail === "full";
  let isWhole = true;

  function take({ row, line, bulletin }: FileRow, problems: AgencyProblem[]): ReadEvent[] {
    const isWithBulletin = bulletin !== undefined && withBulletins;
    const { result, packed } = read(isWithBulletin ? new RowOfBulletin(row, bulletin) : row);
    const imported: ImportedRow = roleOf(result, row["extra"]);
    const { outcome, ids } = imported;
    const known = [ids.sourceId, ids.publicId].filter((id) => id !== null);
    if (known.length === 0) isWhole = false;
    if (outcome === "event" || outcome === "error") {
      for (const id of known) names.mark(names.place(id), PRESENT);
    }
    if (outcome === "error") {
      problems.push({ ...ids, line, message: imported.message, answer: ANSWER });
      return [];
    }
    if (!result.ok) return [];
    const { time, latitude, longitude, depth, magnitude } = result.record;
    const event = { time, latitude, longitude, depth, magnitude };
    if (!isWanted(event)) return [];
    const whole = packed !== null && withBulletins && { bulletin: packed };
    return [{ placed: { event, line, answer: ANSWER, ...whole }, imported }];
  }

  async function* batches(): AsyncGenerator<ReadBatch> {
    let problems: AgencyProblem[] = [];
    const rows = slices({
      error(line, message, { publicId, elements } = {}) {
        isWhole = false;
        const ids = idsOf({ source_id: publicId ?? null, extra: null });
        problems.push({ ...ids, line, message, answer: ANSWER, ...(elements && { elements }) });
      },
      end: () => {},
    });
    for (const slice of rows) {
      const events = slice.flatMap((row) => take(row, problems));
      yield { events, errors: problems, unchanged: 0, progress: PROGRESS };
      problems = [];
    }
  }

  return {
    batches,
    isWhole: () => isWhole,
    isPresent: (...ids) =>
      ids.some((id) => id !== null && (names.marks(names.place(id)) & PRESENT) !== 0),
    known: () => packKnownTable({ marks, isWhole, version, unmatched: 0 }),
  };
}

/** The reading of a file that is as it was: everything of it is there, as it is. */
function unchangedReading(known: KnownTable): ScheduledReading {
  return {
    batches: async function* () {},
    isWhole: () => known.isWhole,
    isPresent: () => true,
    known: () => packKnownTable(known),
  };
}

/**
 * Joins the rows of a table's file to the events that they are about, as the chunks of a revision.
 * @returns what has changed, and what is left for the next run
 * @throws AgencyError, before there is any chunk, for a file none of whose rows has an id
 */
async function* joinTable(
  table: TableFile | KnownTable,
  { client, target, tally, nowMs, name }: JoinOptions,
): AsyncGenerator<Chunk, { readonly changes: Changes; readonly known: Uint8Array }> {
  if (!("slices" in table)) {
    return { changes: recordChanges(target).changes(), known: packKnownTable(table) };
  }
  const { marks, slices } = table;
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
  for await (const chunk of chunks) yield { chunk };
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

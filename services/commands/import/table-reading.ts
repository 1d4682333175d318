import { idsOf } from "#contracts/seismic-event/public-id.ts";
import type { AgencyQuery } from "#infra/agency/query.ts";
import { type AgencyProblem, createQueryTest } from "#infra/agency/windows.ts";
import type { FileRow } from "#infra/formats/format-reader.ts";
import { createIdTable } from "#services/domain/events/id-table.ts";
import { type ImportedRow, roleOf } from "#services/domain/imports/imported-row.ts";
import { createSubmittedReader, RowOfBulletin } from "../submission/submitted-event.ts";
import type { ReadEvent } from "./import-writer.ts";
import { type KnownTable, packKnownTable, type TableFile } from "./read-table.ts";
import type { ReadBatch, ScheduledReading } from "./scheduled-reading.ts";

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
export function createTableReading(
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
export function unchangedReading(known: KnownTable): ScheduledReading {
  return {
    batches: async function* () {},
    isWhole: () => known.isWhole,
    isPresent: () => true,
    known: () => packKnownTable(known),
  };
}

/** Entry point of the threads that convert magnitudes: a catalogue has a million events. */
import { rowIds } from "#contracts/bulletin/bulletin-of-row.ts";
import type { MagnitudeConversion } from "#contracts/merge/magnitude-conversion.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { packing } from "#infra/bulletins/packed-bulletin.ts";
import { atOnce } from "#infra/kernel/iteration.ts";
import { createChunkWriter, type WrittenBulletin } from "#infra/log/chunks.ts";
import { openWatchedSession } from "#infra/postgres/connection.ts";
import type { TextRow } from "#infra/postgres/copy/copied-rows.ts";
import { workerStream } from "#infra/threads/task.ts";
import { readCopiedBulletin } from "#projections/read/copied-rows.ts";
import { BULLETIN_PLACE, besideConvertible, convertibleRows } from "#projections/read/edits.ts";
import { createRecordReader, EVENT_COLUMN_NAMES } from "#projections/read/versions.ts";
import { withConverted } from "#services/domain/bulletins/edits.ts";
import type { BulletinView } from "#services/domain/bulletins/view.ts";
import {
  agencyOfMagnitude,
  converted,
  fittingConversion,
} from "#services/domain/events/magnitude-conversion.ts";
import { createBulletinView } from "../bulletins/bulletin-view.ts";
import { withinLimits } from "../bulletins/within-limits.ts";
import { CHUNKS_AHEAD, type Chunk } from "../changes/chunks-of-thread.ts";

export type ConvertTask = {
  readonly databaseUrl: string;
  /** The version that is read. */
  readonly base: { readonly key: number; readonly version: number };
  /** The version that the conversions make, and when; it signs what becomes of bulletins. */
  readonly edit: { readonly version: number; readonly at: string };
  readonly filters: EventFilters;
  readonly conversions: readonly MagnitudeConversion[];
};

/** Known before the first event is converted. */
export type ConvertBegin = {
  /** Events with a magnitude of a type that some conversion is for. */
  readonly candidates: number;
};

/** Null where no event has a magnitude. */
export type MagnitudeBounds = {
  readonly min_magnitude: number | null;
  readonly max_magnitude: number | null;
};

export type ConvertEnd = {
  readonly converted: number;
  readonly outOfRange: number;
  /** Of all events of the version that this makes. */
  readonly bounds: MagnitudeBounds;
};

/** The converted events as the chunks of a revision. */
export const streamConverted = workerStream(convertedChunks, CHUNKS_AHEAD);

async function* convertedChunks(
  task: ConvertTask,
): AsyncGenerator<{ readonly begin: ConvertBegin } | Chunk, ConvertEnd> {
  await using session = await openWatchedSession(task.databaseUrl, "conversion");
  const { client } = session;
  // Events that are converted and the others are told apart in one snapshot.
  await client.query("begin isolation level repeatable read, read only");
  const events = { ...task, version: task.base, types: typesOf(task.conversions) };
  const { convertible, least, greatest } = await besideConvertible(client, events);
  yield { begin: { candidates: convertible } };
  const writer = createChunkWriter();
  const convert = createConverter(task, [least, greatest]);
  for await (const rows of convertibleRows(client, events)) {
    for (const row of rows) {
      const after = convert.event(row);
      const chunk = after && writer.update(after.id, after.record, after.bulletin);
      if (chunk !== null) yield { chunk };
    }
  }
  const chunk = writer.finish();
  if (chunk !== null) yield { chunk };
  return { converted: writer.counts().updated, ...convert.end() };
}

function typesOf(conversions: readonly MagnitudeConversion[]): string[] {
  return [...new Set(conversions.map(({ from }) => from.toLowerCase()))];
}

const recordOf: (row: TextRow) => SeismicEventRecord = createRecordReader(EVENT_COLUMN_NAMES);

type Changed = {
  readonly id: string;
  readonly record: SeismicEventRecord;
  readonly bulletin: WrittenBulletin | null;
};

/** @param others magnitudes that stay */
function createConverter({ conversions, edit }: ConvertTask, others: readonly (number | null)[]) {
  const view = createBulletinView(Number.MAX_SAFE_INTEGER);
  const known = others.filter((magnitude) => magnitude !== null);
  let least = Math.min(...known);
  let greatest = Math.max(...known);
  let outOfRange = 0;
  const extend = (magnitude: number | null) => {
    least = Math.min(least, magnitude ?? least);
    greatest = Math.max(greatest, magnitude ?? greatest);
  };

  return {
    /** Null for one that stays as it is. */
    event(row: TextRow): Changed | null {
      const before = recordOf(row);
      const { magnitude } = before;
      const by = fittingConversion({ ...before, agency: agencyOfMagnitude(before) }, conversions);
      if (typeof by === "string" || magnitude === null) {
        if (by === "outOfRange") outOfRange += 1;
        extend(magnitude);
        return null;
      }
      const record = { ...before, ...converted(before, magnitude, by) };
      extend(record.magnitude);
      const [id] = row as [string];
      return { id, record, bulletin: bulletinOf(row, { id, record, by: by.name, edit }, view) };
    },
    end: (): Omit<ConvertEnd, "converted"> => ({
      outOfRange,
      bounds: {
        min_magnitude: Number.isFinite(least) ? least : null,
        max_magnitude: Number.isFinite(greatest) ? greatest : null,
      },
    }),
  };
}

/** @throws Refusal VALIDATION_ERROR for one beyond the limits */
function bulletinOf(
  row: TextRow,
  {
    id,
    record,
    by,
    edit,
  }: { id: string; record: SeismicEventRecord; by: string; edit: ConvertTask["edit"] },
  view: BulletinView,
): WrittenBulletin | null {
  const before = readCopiedBulletin(row[BULLETIN_PLACE] ?? null);
  if (before === null) return null;
  const { magnitude: publicID } = rowIds(id, `/${edit.version}`);
  return atOnce(withinLimits(packing(withConverted(before, { record, by, publicID, edit }, view))));
}

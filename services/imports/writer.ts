/** Writes the agency's events as changes of a catalogue, and counts what becomes of each. */

import type { ClientBase } from "pg";
import {
  type BulletinSummary,
  type ElementCounts,
  elementsOfCounts,
} from "#contracts/bulletin/counts.ts";
import type { ImportError, ImportTally, SkippedReasons } from "#contracts/events/imports.ts";
import type { PlacedEvent } from "#infra/agency/answer.ts";
import { agencyText } from "#infra/agency/http/exchange.ts";
import type { AgencyProblem } from "#infra/agency/windows.ts";
import { createElementTally } from "#infra/formats/format-reader.ts";
import type { EncodedChunk } from "#infra/log/chunks.ts";
import { createEventIdentifier } from "#services/domain/events/identity.ts";
import type { ImportedRow } from "#services/domain/imports/run.ts";
import { createChangeWriter, LOOKUP, type UpdateOptions } from "../changes/change-writer.ts";
import type { Candidate, CatalogueTarget } from "../changes/revision-changes.ts";

export type ImportTarget = CatalogueTarget & { readonly updateExisting: boolean };

/** An event of the agency as an import reads it. */
export type ReadEvent = {
  readonly placed: PlacedEvent;
  readonly imported: ImportedRow;
  /** Other ids by which the agency knows the event. */
  readonly otherIds?: readonly string[] | undefined;
};

/**
 * Compares the agency's events with the catalogue's and writes new and different ones. An event that
 * occurred earlier in this run is skipped, since windows and boxes overlap at their edges.
 * @param client the run's own connection, for lookups
 */
export function createImportWriter(
  client: ClientBase,
  target: ImportTarget,
  tally: Tally,
  { nowMs, areMessages }: Pick<UpdateOptions, "nowMs" | "areMessages">,
) {
  const identifier = createEventIdentifier();
  const connect = () => Promise.resolve(client);
  const options = { updateExisting: target.updateExisting, nowMs, areMessages };
  const { write, ...changes } = createChangeWriter(connect, target, options, identifier, tally);

  function candidatesOf(events: Iterable<ReadEvent>): Candidate[] {
    const candidates: Candidate[] = [];
    for (const { placed, imported, otherIds } of events) {
      const { outcome } = imported;
      const ids = identifier.take({ ...imported.ids, others: otherIds });
      const { bulletin = null } = placed;
      if (bulletin !== null) tally.whole(bulletin, outcome === "event" ? "kept" : "dropped");
      if (ids === null) continue;
      if (outcome === "event") candidates.push({ ids, record: imported.record, bulletin });
      else if (outcome !== "error") tally.skipped(outcome);
      else tally.failed(errorOf(placed, imported));
    }
    return candidates;
  }

  function* batchesOf(events: Iterator<ReadEvent>): Generator<Candidate[]> {
    let isLast = false;
    while (!isLast) {
      const some: ReadEvent[] = [];
      while (some.length < LOOKUP && !isLast) {
        const { done, value } = events.next();
        if (done) isLast = true;
        else some.push(value);
      }
      if (some.length > 0) yield candidatesOf(some);
    }
  }

  return {
    ...changes,
    /** Takes events of the agency and yields each chunk that is full. */
    take: (events: Iterable<ReadEvent>): AsyncGenerator<EncodedChunk> =>
      write(batchesOf(events[Symbol.iterator]())),
  };
}

export type ImportWriter = ReturnType<typeof createImportWriter>;

function errorOf(
  { event, line, answer }: PlacedEvent,
  { ids: { sourceId }, message }: Extract<ImportedRow, { outcome: "error" }>,
): ImportError {
  return importErrorOf({ message, sourceId, line, answer }, event.time);
}

/**
 * Limit of a run's errors: all are kept, so that its counts add up, and appended to the log at once.
 * An agency with more unreadable data is faulty.
 */
const MAX_ERROR_BYTES = 512 * 1024;

/** The agency has sent more unusable data than a run can report. */
export class TooManyErrors extends Error {
  override readonly name = "TooManyErrors";
}

export type Tally = ReturnType<typeof createTally>;

/** Counts the fate of each fetched event. */
export function createTally() {
  const skippedReasons = { existing: 0, unchanged: 0, excluded: 0, rejected: 0 };
  let newEvents = 0;
  let updatedEvents = 0;
  let withdrawnEvents = 0;
  let withheld = 0;
  let skippedEvents = 0;
  let errorBytes = 0;
  const errors: ImportError[] = [];
  let unmatched: Pick<ImportTally, "unmatched" | "unmatchedCount"> = {};
  const elements = createElementTally();

  function skipped(reason: keyof SkippedReasons, count = 1): void {
    skippedEvents += count;
    skippedReasons[reason] += count;
  }

  return {
    added(): void {
      newEvents += 1;
    },
    updated(): void {
      updatedEvents += 1;
    },
    withdrawn(): void {
      withdrawnEvents += 1;
    },
    withheld(count: number): void {
      withheld += count;
    },
    skipped,
    /**
     * @param lost the elements of an event that could not be read; null where they are unknown
     * @throws TooManyErrors
     */
    failed(error: ImportError, lost?: ElementCounts | null): void {
      const brief = shortened(error);
      errorBytes += Buffer.byteLength(JSON.stringify(brief)) + 1;
      if (errorBytes > MAX_ERROR_BYTES) {
        throw new TooManyErrors(`More than ${errors.length} of the agency's events cannot be read`);
      }
      errors.push(brief);
      if (lost !== undefined) elements.add(lost, "dropped");
    },
    /** The elements of an event's bulletin, whether it is stored, there already, or left out. */
    whole: ({ counts }: BulletinSummary, outcome: "kept" | "dropped"): void =>
      elements.add(elementsOfCounts(counts), outcome),
    /** Of a join, once all rows were looked for: the events that rows are about, and rows that are about none. */
    joined({
      events,
      updated,
      ...rows
    }: Required<Pick<ImportTally, "unmatched" | "unmatchedCount">> & {
      readonly events: number;
      readonly updated: number;
    }): void {
      updatedEvents += updated;
      skipped("unchanged", events - updated);
      unmatched = rows;
    },
    /** The whole tally, with the errors from `firstError` on. */
    read(firstError = 0): ImportTally {
      const counts = elements.tallies();
      return {
        totalFetched: newEvents + updatedEvents + skippedEvents + errors.length,
        newEvents,
        updatedEvents,
        skippedEvents,
        skippedReasons: { ...skippedReasons },
        ...(withdrawnEvents > 0 && { withdrawnEvents }),
        ...(withheld > 0 && { withheld }),
        ...unmatched,
        errors: errors.slice(firstError),
        ...(Object.keys(counts).length > 0 && { elements: { ...counts } }),
      };
    },
  };
}

/** Messages quote the agency's data, so they are shortened. */
function shortened({ message, source_id, line, where }: ImportError): ImportError {
  return {
    message: agencyText(message),
    ...(source_id !== undefined && { source_id: agencyText(source_id) }),
    ...(line !== undefined && { line }),
    ...(where !== undefined && { where }),
  };
}

/** A problem with the agency's answers in the form of a run's report. */
export function importErrorOf(
  { message, sourceId, line, answer }: Omit<AgencyProblem, "publicId">,
  time?: string,
): ImportError {
  const event = time === undefined ? "" : `, the event of ${time}`;
  return {
    message,
    ...(sourceId !== null && { source_id: sourceId }),
    line,
    where: `line ${line} of the answer for ${answer}${event}`,
  };
}

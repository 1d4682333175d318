import type { ClientBase } from "pg";
import type { ImportError } from "#contracts/import-run.ts";
import type { PlacedEvent } from "#infra/agency/agency-event.ts";
import type { EncodedChunk } from "#infra/log/chunks.ts";
import { createEventIdentifier } from "#services/domain/events/identity.ts";
import type { ImportedRow } from "#services/domain/imports/imported-row.ts";
import type { Candidate } from "../changes/candidate.ts";
import { createChangeWriter, LOOKUP, type UpdateOptions } from "../changes/change-writer.ts";
import type { CatalogueTarget } from "../changes/revision-changes.ts";
import { importErrorOf, type Tally } from "./import-tally.ts";

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
  const writer = createChangeWriter(connect, target, options, identifier, tally);

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
    /** Takes events of the agency and yields each chunk that is full. */
    take: (events: Iterable<ReadEvent>): AsyncGenerator<EncodedChunk> =>
      writer.write(batchesOf(events[Symbol.iterator]())),
    withdraw: writer.withdraw,
    isRenamed: writer.isRenamed,
    /** The last chunk; null when no change is left. */
    finish: writer.finish,
    changes: writer.changes,
  };
}

export type ImportWriter = ReturnType<typeof createImportWriter>;

function errorOf(
  { event, line, answer }: PlacedEvent,
  { ids: { sourceId }, message }: Extract<ImportedRow, { outcome: "error" }>,
): ImportError {
  return importErrorOf({ message, sourceId, line, answer }, event.time);
}

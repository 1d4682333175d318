import type { ClientBase } from "pg";
import type { ImportError } from "#contracts/import-run.ts";
import type { PlacedEvent } from "#infra/agency/agency-event.ts";
import type { EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { createEventIdentifier } from "#services/domain/identity/identify-events.ts";
import { createImportedReader, type ImportedRow } from "#services/domain/import/read-imported.ts";
import { type Candidate, createChangeWriter, LOOKUP } from "../changes/change-writer.ts";
import type { Changes, ChangeTarget } from "../changes/changes.ts";
import { importErrorOf, type Tally } from "./import-tally.ts";

export type ImportTarget = ChangeTarget & { readonly updateExisting: boolean };

export type ImportWriter = {
  /** Takes events of the agency and yields each chunk that is full. */
  readonly take: (given: readonly PlacedEvent[]) => AsyncGenerator<EncodedChunk>;
  /** The last chunk; null when no change is left. */
  readonly finish: () => EncodedChunk | null;
  readonly changes: () => Changes;
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
  nowMs: number,
): ImportWriter {
  const read = createImportedReader(nowMs);
  const identifier = createEventIdentifier();
  const connect = () => Promise.resolve(client);
  const { updateExisting } = target;
  const writer = createChangeWriter(connect, target, updateExisting, identifier, tally);

  function candidatesOf(given: readonly PlacedEvent[]): Candidate[] {
    const found: Candidate[] = [];
    for (const placed of given) {
      const imported = read(placed.event);
      const { outcome } = imported;
      const ids = identifier.take(imported.ids);
      if (ids === null) continue;
      if (outcome === "event") found.push({ ids, record: imported.record });
      else if (outcome !== "error") tally.skipped(outcome);
      else tally.failed(errorOf(placed, imported));
    }
    return found;
  }

  function* batchesOf(given: readonly PlacedEvent[]): Generator<Candidate[]> {
    for (let start = 0; start < given.length; start += LOOKUP) {
      yield candidatesOf(given.slice(start, start + LOOKUP));
    }
  }

  return {
    take: (given) => writer.write(batchesOf(given)),
    finish: writer.finish,
    changes: writer.changes,
  };
}

function errorOf(
  { event, line, answer }: PlacedEvent,
  { ids: { sourceId }, message }: Extract<ImportedRow, { outcome: "error" }>,
): ImportError {
  return importErrorOf({ message, sourceId, line, answer }, event.time);
}

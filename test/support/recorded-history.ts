import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { type CatalogueEvent, CHUNK_EVENT, NO_BOUNDS } from "#contracts/events/catalogues.ts";
import { catalogueStream, revisionStream } from "#contracts/events/log.ts";
import { eventId } from "#contracts/seismic-event/ids.ts";
import {
  columnsOf,
  type SeismicEvent,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { encodeChunk } from "#infra/log/chunks.ts";
import { eventMetadata, toNewEvents } from "#infra/log/domain-events.ts";
import { type EventLog, NO_STREAM } from "#infra/log/event-log.ts";
import { arbitraryRecord } from "./arbitrary-events.ts";
import { createInMemoryEventLog } from "./in-memory-event-log.ts";

/** A step of a version; `pick` chooses the event that it is about. */
type Step = {
  readonly kind: "add" | "restore" | "update" | "remove";
  readonly pick: number;
  readonly record: SeismicEventRecord;
};

/** Versions, each of chunks, each of steps. */
export const arbitrarySteps: fc.Arbitrary<Step[][][]> = fc.array(
  fc.array(
    fc.array(
      fc.record({
        kind: fc.constantFrom("add", "add", "restore", "update", "update", "remove"),
        pick: fc.nat(),
        record: arbitraryRecord,
      }),
      { minLength: 1, maxLength: 5 },
    ),
    { maxLength: 3 },
  ),
  { minLength: 1, maxLength: 5 },
);

export type RecordedHistory = {
  readonly log: EventLog;
  readonly catalogueId: string;
  /** The events of each version, by id; version 0 has none. */
  readonly states: readonly ReadonlyMap<string, SeismicEvent>[];
  readonly changes: number;
};

const ORIGIN = { commandId: randomUUID(), actor: "user-1", at: new Date() };

/** Writes a catalogue of such versions to a log. */
export async function recordHistory(versions: readonly Step[][][]): Promise<RecordedHistory> {
  const log = createInMemoryEventLog();
  const catalogueId = randomUUID();
  const states: Map<string, SeismicEvent>[] = [new Map()];
  const gone = new Set<string>();
  const data = { catalogueId, name: "Kaikōura", isPublic: true, createdBy: "user-1" };
  const decisions: CatalogueEvent[] = [{ type: "CatalogueCreated", data }];
  let changes = 0;
  for (const [index, chunks] of versions.entries()) {
    const revision = index + 1;
    const state = new Map(states.at(-1));
    const counts = { added: 0, updated: 0, removed: 0 };
    const touched = new Set<string>();
    let firstIndex = 0;
    let written = 0;
    for (const steps of chunks) {
      const chunk = chunkOf(steps);
      const length = chunk.added.length + chunk.restored.length;
      counts.added += length;
      counts.updated += chunk.updated.length;
      counts.removed += chunk.removed.length;
      if (length + chunk.updated.length + chunk.removed.length === 0) continue;
      const metadata = eventMetadata(ORIGIN, CHUNK_EVENT);
      const bytes = encodeChunk(chunk);
      const event = { id: randomUUID(), type: CHUNK_EVENT, data: bytes, metadata };
      await log.append(revisionStream(catalogueId, revision), written + NO_STREAM, [event]);
      written += 1;
    }
    states.push(state);
    changes += counts.added + counts.updated + counts.removed;
    decisions.push({
      type: "RevisionCommitted",
      data: {
        catalogueId,
        revision,
        cause: "edit",
        ...counts,
        chunks: written,
        eventCount: state.size,
        bounds: NO_BOUNDS,
        contentHash: "",
      },
    });

    function chooseFrom(ids: { keys: () => Iterable<string> }, pick: number): string | undefined {
      const free = [...ids.keys()].filter((id) => !touched.has(id));
      return free[pick % Math.max(free.length, 1)];
    }

    function chunkOf(steps: readonly Step[]) {
      const added: SeismicEventRecord[] = [];
      const restored: SeismicEvent[] = [];
      const updated: SeismicEvent[] = [];
      const removed: string[] = [];
      const begin = firstIndex;
      for (const { kind, pick, record } of steps) {
        const chosen =
          kind === "add" ? undefined : chooseFrom(kind === "restore" ? gone : state, pick);
        if (kind !== "add" && chosen === undefined) continue;
        const id = chosen ?? eventId(catalogueId, revision, firstIndex);
        touched.add(id);
        if (kind === "remove") {
          state.delete(id);
          gone.add(id);
          removed.push(id);
          continue;
        }
        gone.delete(id);
        state.set(id, { id, ...record });
        if (kind === "add") {
          firstIndex += 1;
          added.push(record);
        } else (kind === "restore" ? restored : updated).push({ id, ...record });
      }
      return {
        firstIndex: begin,
        added: columnsOf(added),
        restored: { ...columnsOf(restored), ids: restored.map(({ id }) => id) },
        updated: { ...columnsOf(updated), ids: updated.map(({ id }) => id) },
        removed,
      };
    }
  }
  await log.append(
    catalogueStream(catalogueId),
    NO_STREAM,
    toNewEvents(catalogueStream(catalogueId), 0, decisions, ORIGIN),
  );
  return { log, catalogueId, states, changes };
}

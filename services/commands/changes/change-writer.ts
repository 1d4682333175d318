import type { ClientBase } from "pg";
import type { EventIds } from "#contracts/seismic-event/public-id.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import type { EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { readAhead } from "#infra/kernel/async-iterables.ts";
import { copyKnownEvents, copyKnownIds } from "#projections/queries/edits/read-known-events.ts";
import type { EventIdentifier } from "#services/domain/identity/identify-events.ts";
import {
  type KnownEvent,
  type KnownEvents,
  knownEvents,
  NOTHING_KNOWN,
} from "#services/domain/identity/known-events.ts";
import type { StoredIds } from "#services/domain/identity/settled-ids.ts";
import { type ChangeListener, recordChanges } from "./record-changes.ts";
import type { ChangeTarget } from "./revision-changes.ts";

/** Events per lookup. */
export const LOOKUP = 5_000;

/** An event whose ids have not come before. */
export type Candidate = { readonly ids: StoredIds; readonly record: SeismicEventRecord };

type Batches = AsyncIterable<readonly Candidate[]> | Iterable<readonly Candidate[]>;
type Write = (candidate: Candidate) => EncodedChunk | null;
type Batch = { readonly candidates: readonly Candidate[]; readonly write: Write };

/**
 * Writes new and different events as the chunks of a revision (infra/decisions/0024).
 * @param connect opens a connection for lookups; called only for a catalogue with events
 * @param updateExisting whether events of the batches replace existing ones
 */
export function createChangeWriter(
  connect: () => Promise<ClientBase>,
  target: ChangeTarget,
  updateExisting: boolean,
  identifier: Pick<EventIdentifier, "identify">,
  listener?: ChangeListener,
) {
  const { add, update, leave, finish, changes } = recordChanges(target, listener);

  function writing<K extends KnownEvent>(
    known: KnownEvents<K>,
    ofKnown: (event: K, record: SeismicEventRecord) => EncodedChunk | null,
  ): Write {
    return ({ ids, record }) => {
      const identified = identifier.identify(ids, known);
      switch (identified.outcome) {
        case "new":
          return add(record, identified.sourceId);
        case "known":
          return ofKnown(identified.event, record);
        case "unclear":
          return leave();
        default:
          return unknownCase(identified);
      }
    };
  }

  async function writerOf(ids: readonly EventIds[]): Promise<Write> {
    if (!target.hasEvents) return writing(NOTHING_KNOWN, leave);
    const client = await connect();
    if (!updateExisting)
      return writing(knownEvents(await copyKnownIds(client, target, ids)), leave);
    const known = knownEvents(await copyKnownEvents(client, target, ids));
    return writing(known, ({ event }, record) => update(event, record));
  }

  /**
   * Compares candidates with the catalogue and yields each chunk of changes that is full. The next
   * batch, of at most LOOKUP candidates, is looked up while one is written.
   */
  const write = (batches: Batches) => writeAhead(batches, writerOf);
  return { write, finish, changes };
}

async function* writeAhead(
  batches: Batches,
  writerOf: (ids: readonly EventIds[]) => Promise<Write>,
): AsyncGenerator<EncodedChunk> {
  async function* lookedUp(): AsyncGenerator<Batch> {
    for await (const candidates of batches) {
      yield { candidates, write: await writerOf(candidates.map(({ ids }) => ids)) };
    }
  }

  for await (const { candidates, write } of readAhead(lookedUp())) {
    for (const candidate of candidates) {
      const chunk = write(candidate);
      if (chunk !== null) yield chunk;
    }
  }
}

import { setImmediate } from "node:timers/promises";
import type { EventPredicate } from "#contracts/query/event-predicate.ts";
import { eventIdAt, eventIdPrefix } from "#contracts/seismic-event/event-id.ts";
import { createShared } from "#infra/kernel/recent.ts";
import type { Chunk } from "#infra/log/chunks.ts";
import { type FeedAction, filteredChange } from "#services/domain/following.ts";
import {
  eventMessage,
  type FeedEvent,
  feedEventAt,
  reasonOf,
  type VersionOfCatalogue,
} from "./feed-event.ts";
import { type FeedForm, type OpenMessage, pieces } from "./feed-form.ts";

/** Events by id, as they were before a version. */
export type ReadBefore = (
  of: VersionOfCatalogue,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, FeedEvent>>;

/** A change; `event` is as it is after it, or as it was where it is deleted. */
type FeedChange = {
  readonly action: FeedAction;
  readonly event: FeedEvent;
  readonly message: OpenMessage;
};

/** The changes of one chunk, which never change themselves. */
export type FeedBlock = {
  /** Place of its first change in the version, from 1. */
  readonly first: number;
  readonly length: number;
  /**
   * The first changes after one of the version, as they are sent to all that want everything.
   * @returns the pieces, and the last change that is in them
   */
  readonly allAfter: (change: number, form: FeedForm) => Sent;
  /** The same changes as messages: those that a filter leaves. */
  readonly messagesAfter: (change: number, filter: EventPredicate | null) => Promise<Messages>;
};

export type Sent = { readonly pieces: readonly Buffer[]; readonly last: number };

export type Messages = {
  readonly messages: readonly { readonly change: number; readonly message: OpenMessage }[];
  readonly last: number;
};

/** Changes sent together, some 40 KB: what a client that does not read may make the service hold. */
const TOGETHER = 64;
/** Messages made without giving way, in about a millisecond. */
const AT_ONCE = 256;

/** @param first place of the chunk's first change in its version, from 1 */
export async function createFeedBlock(
  chunk: Chunk,
  of: VersionOfCatalogue,
  first: number,
  readBefore: ReadBefore,
): Promise<FeedBlock> {
  const changes = await changesOf(chunk, of, readBefore);
  const readyByForm = new Map<FeedForm, (Sent | undefined)[]>();
  const before = createShared<Awaited<ReturnType<ReadBefore>>>(1);
  const readUpdated = () => readBefore(of, chunk.updated.ids);

  function sentAfter(change: number, form: FeedForm): Sent {
    const part = partAfter(change);
    const texts = part.map(({ message }, i) => {
      return form.write(`${of.entry.version}.${change + 1 + i}`, message);
    });
    return { pieces: pieces(form, texts), last: change + part.length };
  }

  /** The changes after one that are sent together. */
  function partAfter(change: number): readonly FeedChange[] {
    const from = change + 1 - first;
    return changes.slice(from, (Math.floor(from / TOGETHER) + 1) * TOGETHER);
  }

  return {
    first,
    length: changes.length,
    allAfter(change, form) {
      const from = change + 1 - first;
      if (from % TOGETHER !== 0) return sentAfter(change, form);
      const ready = readyByForm.get(form) ?? [];
      readyByForm.set(form, ready);
      const sent = ready[from / TOGETHER] ?? sentAfter(change, form);
      ready[from / TOGETHER] = sent;
      return sent;
    },
    async messagesAfter(change, filter) {
      const part = partAfter(change);
      const hasUpdates = part.some(({ action }) => action === "update");
      const states = filter !== null && hasUpdates ? await before("", readUpdated) : null;
      const messages = part.flatMap((each, i) => {
        const message = filter === null ? each.message : filteredMessage(each, filter, states, of);
        return message === null ? [] : [{ change: change + 1 + i, message }];
      });
      return { messages, last: change + part.length };
    },
  };
}

function filteredMessage(
  { action, event, message }: FeedChange,
  filter: EventPredicate,
  states: ReadonlyMap<string, FeedEvent> | null,
  of: VersionOfCatalogue,
): OpenMessage | null {
  const before = action === "update" ? (states?.get(event.id) ?? null) : null;
  const left = filteredChange(filter, {
    before: action === "delete" ? event : before,
    after: action === "delete" ? null : event,
  });
  if (left === null) return null;
  const same = left.action === action ? message : eventMessage(left.action, left.event, of);
  return same + reasonOf(left.action, left.other, of);
}

/** In the order of the chunk. Gives way between parts, since this process answers requests too. */
async function changesOf(
  chunk: Chunk,
  of: VersionOfCatalogue,
  readBefore: ReadBefore,
): Promise<FeedChange[]> {
  const { removed } = chunk;
  const gone = removed.length === 0 ? null : await readBefore(of, removed);
  const changes: FeedChange[] = [];
  for (const [action, event] of eventsOf(chunk, of, gone)) {
    changes.push({ action, event, message: eventMessage(action, event, of) });
    if (changes.length % AT_ONCE === 0) await setImmediate();
  }
  return changes;
}

function* eventsOf(
  { firstIndex, added, restored, updated, removed }: Chunk,
  { catalogueId, entry }: VersionOfCatalogue,
  gone: ReadonlyMap<string, FeedEvent> | null,
): Generator<readonly [FeedAction, FeedEvent]> {
  const prefix = eventIdPrefix(catalogueId, entry.version);
  for (let i = 0; i < added.length; i += 1) {
    yield ["create", feedEventAt(added, i, eventIdAt(prefix, firstIndex + i))];
  }
  for (const [i, id] of restored.ids.entries()) yield ["create", feedEventAt(restored, i, id)];
  for (const [i, id] of updated.ids.entries()) yield ["update", feedEventAt(updated, i, id)];
  for (const id of removed) {
    const event = gone?.get(id);
    if (event === undefined) throw new Error(`event ${id} was not there before its removal`);
    yield ["delete", event];
  }
}

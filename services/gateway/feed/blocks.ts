/**
 * The changes of versions as messages, read from the log chunk by chunk and shared by all
 * streams.
 */

import { setImmediate } from "node:timers/promises";
import type { EventPredicate } from "#contracts/query/predicate.ts";
import { createRecent, createShared } from "#infra/kernel/recent.ts";
import type { Chunk } from "#infra/log/chunks.ts";
import type { EventLog } from "#infra/log/event-log.ts";
import { type FeedAction, filteredChange } from "#services/domain/following.ts";
import {
  eventsOf,
  featureOf,
  lengthOf,
  type ReadBefore,
  readChunk,
  type ToldEvent,
  type VersionOfCatalogue,
} from "../../told-events.ts";

/** The blocks of versions, read from the log; many readers of one share it. */
export type FeedBlocks = {
  /** The block with the change after one of a version. @throws CorruptChunk, UnknownChunkVersion */
  readonly after: (of: VersionOfCatalogue, change: number) => Promise<FeedBlock>;
};

export type FeedBlocksDeps = {
  readonly log: Pick<EventLog, "read">;
  readonly readBefore: ReadBefore;
};

/** Changes in the blocks that are kept, with what is made of them about 3 KB each. */
const MAX_CHANGES = 20_000;
/** Versions of which it is kept where their chunks begin; 8 bytes for each chunk. */
const MAX_VERSIONS = 10_000;

export function createFeedBlocks({ log, readBefore }: FeedBlocksDeps): FeedBlocks {
  const blocks = createShared<FeedBlock>(MAX_CHANGES, ({ length }) => length);
  const beginnings = createRecent<number[]>(MAX_VERSIONS);

  function blockAt(of: VersionOfCatalogue, index: number, first: number): Promise<FeedBlock> {
    const read = async () =>
      createFeedBlock(await readChunk(log, of, index), of, first, readBefore);
    return blocks(`${of.catalogueId} ${of.entry.version} ${index}`, read);
  }

  /** The first change of each chunk, as far as it is known. */
  function beginningsOf({ catalogueId, entry }: VersionOfCatalogue): number[] {
    const key = `${catalogueId} ${entry.version}`;
    return beginnings.keep(key, beginnings.get(key) ?? [1]);
  }

  return {
    async after(of, change) {
      const known = beginningsOf(of);
      let index = lastAtMost(known, change + 1);
      // A place within a version that was not read since the start: its chunks are counted.
      while (index === known.length - 1 && (known[index] ?? 0) <= change) {
        known[index + 1] = (known[index] ?? 0) + lengthOf(await readChunk(log, of, index));
        if ((known[index + 1] ?? 0) <= change + 1) index += 1;
      }
      const first = known[index] ?? 0;
      const block = await blockAt(of, index, first);
      known[index + 1] = first + block.length;
      return block;
    },
  };
}

/** The index of the last of ascending numbers that is at most a number; 0 where there is none. */
function lastAtMost(ascending: readonly number[], most: number): number {
  let low = 0;
  let high = ascending.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) <= most) low = middle;
    else high = middle;
  }
  return low;
}

/** A change; `event` is as it is after it, or as it was where it is deleted. */
type FeedChange = {
  readonly action: FeedAction;
  readonly event: ToldEvent;
  readonly message: OpenMessage;
};

/** The changes of one chunk, which never change themselves. */
type FeedBlock = {
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
async function createFeedBlock(
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
  states: ReadonlyMap<string, ToldEvent> | null,
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

/** The message of a change in a version: EMSC's. */
function eventMessage(action: FeedAction, event: ToldEvent, of: VersionOfCatalogue): OpenMessage {
  return `{"action":"${action}","data":${featureOf(event, of)}`;
}

/**
 * Why a feed with a filter creates or deletes an event, as further members of its message.
 * @param other how the event is outside the filter, where a revision has brought it in or out; else null
 */
function reasonOf(action: FeedAction, other: ToldEvent | null, of: VersionOfCatalogue): string {
  if (action === "update") return "";
  const [unrevised, name] = action === "create" ? ["added", "before"] : ["removed", "now"];
  if (other === null) return `,"reason":"${unrevised}"`;
  return `,"reason":"revised","${name}":${featureOf(other, of)}`;
}

/** A message without its id: the JSON object, open at its end. */
export type OpenMessage = string;

/** How messages are written for a kind of connection. */
export type FeedForm = {
  readonly write: (id: string, message: OpenMessage) => string;
  /** Whether several messages may be sent as one piece. */
  readonly isJoined: boolean;
};

/** Server-sent events without a type, so that a page's `onmessage` takes them. */
export const AS_EVENTS: FeedForm = {
  write: (id, message) => `id: ${id}\ndata: ${message}}\n\n`,
  isJoined: true,
};

/** One message of a WebSocket each, with the id as a member. */
export const AS_MESSAGES: FeedForm = {
  write: (id, message) => `${message},"id":"${id}"}`,
  isJoined: false,
};

/** The pieces in which messages are sent. */
export function pieces({ isJoined }: FeedForm, texts: readonly string[]): readonly Buffer[] {
  if (texts.length === 0) return [];
  return isJoined ? [Buffer.from(texts.join(""))] : texts.map((text) => Buffer.from(text));
}

/** What a revision changes, and of which version, as threads send it. */

import { isDeepStrictEqual } from "node:util";
import { type Bounds, mergeBounds } from "#contracts/events/catalogues.ts";
import {
  COLUMN_NAMES,
  type SeismicEvent,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import type { PackedBulletin } from "#infra/bulletins/packed-bulletin.ts";
import type { EncodedChunk } from "#infra/log/chunks.ts";
import { boundsWithout } from "#projections/read/edits.ts";
import type { BoundName } from "#services/domain/catalogues/catalogue.ts";
import type { StoredIds } from "#services/domain/events/identity.ts";
import type { CommandContext } from "../context.ts";

/** A version of a catalogue's events; `key` is the read model's, for queries. */
export type BaseVersion = { readonly key: number; readonly version: number };

/** The version with which given events are compared. */
export type ChangeTarget = BaseVersion & {
  /** The version that the change makes. */
  readonly nextVersion: number;
  /** Whether it has any events. */
  readonly hasEvents: boolean;
  readonly bounds: Bounds;
};

/** A target with its catalogue's id. */
export type CatalogueTarget = ChangeTarget & { readonly id: string };

/** The changes of a revision that affect its catalogue's totals. */
export type Changes = {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  /** Bounds of the added and updated events. */
  readonly bounds: Bounds;
  /** Bounds of the base version on which an updated or removed event lay; they may shrink. */
  readonly touched: readonly BoundName[];
  /** Ids of all updated or removed events, if a bound is touched. */
  readonly goneIds: readonly string[];
};

/** A catalogue's bounds after a revision; bounds that may shrink are looked up again. */
export async function boundsAfter(
  { pool }: Pick<CommandContext, "pool">,
  before: Bounds,
  base: BaseVersion,
  { bounds, touched, goneIds }: Changes,
): Promise<Bounds> {
  const shrunk = await boundsWithout(pool, base, goneIds, touched);
  return mergeBounds({ ...before, ...shrunk }, bounds);
}

/** Changes with the bounds of their catalogue after them. */
export async function totalsAfter(
  context: Pick<CommandContext, "pool">,
  base: ChangeTarget,
  changes: Changes,
): Promise<Pick<Changes, "added" | "updated" | "removed" | "bounds">> {
  return { ...changes, bounds: await boundsAfter(context, base.bounds, base, changes) };
}

/** Whether two records are equal; a time with a different number of digits is a different time. */
export function sameRecord(
  a: SeismicEventRecord | SeismicEvent,
  b: SeismicEventRecord | SeismicEvent,
): boolean {
  return COLUMN_NAMES.every(
    (name) =>
      a[name] === b[name] || (typeof a[name] === "object" && isDeepStrictEqual(a[name], b[name])),
  );
}

/** An event whose ids have not come before. */
export type Candidate = {
  readonly ids: StoredIds;
  readonly record: SeismicEventRecord;
  /** Absent or null where nothing but the record is known of it. */
  readonly bulletin?: PackedBulletin | null;
};

/** Most chunks of a worker thread that wait for the log. */
export const CHUNKS_AHEAD = { ahead: 8 };

/** The chunks of a revision among the items of a worker thread. */
export type Chunk = { readonly chunk: EncodedChunk };

export type ChunkStream<R> = {
  /** Can be read once. */
  readonly chunks: AsyncGenerator<EncodedChunk>;
  /** The thread's result; chunks that were not read are dropped. */
  readonly end: () => Promise<R>;
};

/** Passes other items to `onOther` as they come. */
function chunksOf<N extends object, R>(
  items: AsyncGenerator<N | Chunk, R>,
  onOther: (item: N) => void,
): ChunkStream<R> {
  let result: { readonly value: R } | null = null;
  async function* read(): AsyncGenerator<EncodedChunk> {
    for (let next = await items.next(); ; next = await items.next()) {
      if (next.done) {
        result = { value: next.value };
        return;
      }
      if ("chunk" in next.value) yield next.value.chunk;
      else onOther(next.value);
    }
  }
  const chunks = read();
  return {
    chunks,
    async end() {
      for await (const _chunk of chunks);
      if (result === null) throw new Error("the chunks were given up before their end");
      return result.value;
    },
  };
}

/**
 * Passes the chunks of a stream to `use`, with which it ends, and its other items to `onOther` as they come; chunks
 * that are not read are not made.
 */
export async function useChunks<N extends object, R, T>(
  items: AsyncGenerator<N | Chunk, R>,
  use: (stream: ChunkStream<R>) => Promise<T>,
  onOther: (item: N) => void = () => {},
): Promise<T> {
  try {
    return await use(chunksOf(items, onOther));
  } finally {
    await items.return(undefined as R);
  }
}

/** The same of a stream that begins with what is known before its first chunk. */
export async function useBegun<B extends object, R, T>(
  items: AsyncGenerator<{ readonly begin: B } | Chunk, R>,
  use: (stream: B & ChunkStream<R>) => Promise<T>,
): Promise<T> {
  try {
    const first = await items.next();
    if (first.done || !("begin" in first.value)) throw new Error("a stream without a beginning");
    const { begin } = first.value;
    return await useChunks(items, (stream) => use({ ...begin, ...stream }));
  } finally {
    await items.return(undefined as R);
  }
}

/**
 * Passes chunks on and reports their changes as progress.
 * @param total of the changes there will be; null where it is not known
 */
export async function* reportedChunks(
  chunks: AsyncIterable<EncodedChunk>,
  total: number | null,
  { onProgress }: { readonly onProgress: (progress: { done: number; total: number }) => void },
): AsyncGenerator<EncodedChunk> {
  let done = 0;
  for await (const chunk of chunks) {
    yield chunk;
    done += chunk.count;
    onProgress({ done, total: total ?? 0 });
  }
}

import { revisionStream } from "#contracts/names.ts";
import { createRecent, createShared } from "#infra/kernel/recent.ts";
import { type Chunk, decodeChunk } from "#infra/log/chunks.ts";
import type { EventLog } from "#infra/log/event-log.ts";
import { createFeedBlock, type FeedBlock, type ReadBefore } from "./feed-block.ts";
import type { VersionOfCatalogue } from "./feed-event.ts";

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

function lengthOf({ added, restored, updated, removed }: Chunk): number {
  return added.length + restored.length + updated.length + removed.length;
}

async function readChunk(
  log: Pick<EventLog, "read">,
  { catalogueId, entry }: VersionOfCatalogue,
  index: number,
): Promise<Chunk> {
  const stream = revisionStream(catalogueId, entry.version);
  const [recorded] = await log.read(stream, index, 1);
  if (recorded === undefined) throw new Error(`${stream} has no chunk ${index}`);
  return decodeChunk(recorded.data as Uint8Array);
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

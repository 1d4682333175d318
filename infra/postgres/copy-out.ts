import type { ClientBase, PoolClient } from "pg";
import { to } from "pg-copy-streams";
import { createTextCopyReader, type TextRow } from "./text-copy.ts";

/** Rows of larger pieces outlive the collector's first visits: it copies them, and then keeps them. */
const PIECE_BYTES = 64 * 1024;

/**
 * What a query answers as the text of its rows (see text-copy), piece by piece as it arrives, by COPY:
 * with back-pressure down to the server. A piece ends anywhere. The client is released; giving up early
 * closes it, as the signal does at once, even while the server is silent.
 * @param query without parameters, see literal-sql
 */
export async function* copyBytes(
  client: PoolClient,
  query: string,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  let complete = false;
  try {
    signal?.throwIfAborted();
    yield* copyPieces(client, query, signal);
    complete = true;
  } finally {
    // A connection in the middle of a COPY can do nothing else any more.
    client.release(!complete);
  }
}

/**
 * The rows themselves, in batches as they arrive, on a connection that goes on being used unless this is
 * given up early.
 */
export async function* copyRows(client: ClientBase, query: string): AsyncGenerator<TextRow[]> {
  yield* readRows(copyPieces(client, query));
}

/** What the socket has by now and nothing beyond it, in pieces. */
async function* copyPieces(
  client: ClientBase,
  query: string,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const copy = client.query(to(`copy (${query}) to stdout`, { highWaterMark: 1 }));
  const giveUp = (): void => void copy.destroy(signal?.reason);
  signal?.addEventListener("abort", giveUp);
  try {
    for await (const bytes of copy) {
      for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
        yield bytes.subarray(from, from + PIECE_BYTES);
      }
    }
  } finally {
    signal?.removeEventListener("abort", giveUp);
  }
}

async function* readRows(pieces: AsyncIterable<Buffer>): AsyncGenerator<TextRow[]> {
  const reader = createTextCopyReader();
  for await (const bytes of pieces) yield reader.read(bytes).toArray();
  reader.end();
}

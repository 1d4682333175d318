import { type ClientBase, type PoolClient, Query } from "pg";
import { to } from "pg-copy-streams";
import { literalSql, type SqlToken } from "./sql-text.ts";
import { createTextCopyReader, type TextRow } from "./text-copy.ts";

/** Rows of larger pieces outlive the collector's first visits: it copies them, and then keeps them. */
const PIECE_BYTES = 64 * 1024;

/**
 * What a query answers as the text of its rows (see text-copy), piece by piece as it arrives, by COPY:
 * with back-pressure down to the server. A piece ends anywhere. The client is released; giving up early
 * closes it, as the signal does at once, even while the server is silent.
 */
export async function* copyBytes(
  client: PoolClient,
  query: SqlToken,
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
export async function* copyRows(client: ClientBase, query: SqlToken): AsyncGenerator<TextRow[]> {
  yield* readRows(copyPieces(client, query));
}

/**
 * Hands over the line of each row of a query as it arrives, by COPY, with its newline; the client is
 * released. For answers that are kept as a whole: nothing holds the server back, which costs a stream
 * of its own for each answer.
 * @param take must not throw, nor keep the bytes
 */
export async function eachCopiedRow(
  client: PoolClient,
  query: SqlToken,
  take: (line: Buffer) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const copied = new CopiedRows(query, take);
  copied.once("end", () => resolve());
  copied.once("error", reject);
  client.query(copied);
  try {
    await promise;
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** What the socket has by now and nothing beyond it, in pieces. */
async function* copyPieces(
  client: ClientBase,
  query: SqlToken,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const copy = client.query(to(copyOf(query), { highWaterMark: 1 }));
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

class CopiedRows extends Query {
  readonly #take: (line: Buffer) => void;

  constructor(query: SqlToken, take: (line: Buffer) => void) {
    super(copyOf(query));
    this.#take = take;
  }

  /** What pg calls with each message of a COPY: PostgreSQL puts one row into it, and its newline. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.#take(chunk);
  }
}

function copyOf(query: SqlToken): string {
  return `copy (${literalSql(query)}) to stdout`;
}

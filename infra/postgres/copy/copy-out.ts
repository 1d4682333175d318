/** Rows of queries by COPY, as they are sent. */

import { addAbortListener } from "node:events";
import type { Socket } from "node:net";
import { type ClientBase, type PoolClient, Query } from "pg";
import { to } from "pg-copy-streams";
import { literalSql, type SqlToken } from "../statements.ts";
import { createTextCopyReader, type TextRow } from "./copied.ts";

/** Rows of larger pieces survive the first garbage collections, which copy them. */
const PIECE_BYTES = 64 * 1024;

/** Formats of COPY. */
export type CopyForm = "text" | "binary";

/**
 * The rows of a query as COPY writes them, piece by piece as they arrive, with back-pressure down to
 * the server. Pieces end anywhere. The client is released. An early return closes the connection; so
 * does the signal, at once, even while the server is silent.
 */
export async function* copyBytes(
  client: PoolClient,
  query: SqlToken,
  signal?: AbortSignal,
  form?: CopyForm,
): AsyncGenerator<Buffer> {
  let complete = false;
  try {
    signal?.throwIfAborted();
    yield* copyPieces(client, query, signal, form);
    complete = true;
  } finally {
    // A connection in the middle of a COPY cannot be reused.
    client.release(!complete);
  }
}

/** Parsed rows in batches as they arrive. The connection remains usable, except after an early return. */
export async function* copyRows(
  client: Pick<ClientBase, "query">,
  query: SqlToken,
): AsyncGenerator<TextRow[]> {
  const reader = createTextCopyReader();
  for await (const bytes of copyPieces(client, query)) yield reader.read(bytes).toArray();
  reader.end();
}

/**
 * Passes the line of each row, including its newline, to `take` as it arrives by COPY; releases the
 * client. For answers that are collected as a whole: without back-pressure, which would cost a
 * stream per answer.
 * @param take must not throw or keep the bytes
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

/** The bytes that the socket has received, in pieces, without reading ahead. */
export async function* copyPieces(
  client: Pick<ClientBase, "query">,
  query: SqlToken,
  signal?: AbortSignal,
  form?: CopyForm,
): AsyncGenerator<Buffer> {
  const copy = client.query(to(copyOf(query, form), { highWaterMark: 1 }));
  using _giveUp = signal && addAbortListener(signal, () => copy.destroy(signal.reason));
  for await (const bytes of copy) {
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
      yield bytes.subarray(from, from + PIECE_BYTES);
    }
  }
}

/** How long rows of one connection are taken before other work gets its turn. */
const TURN_MS = 1;

class CopiedRows extends Query {
  readonly #take: (line: Buffer) => void;
  /** Milliseconds; null between turns. */
  #began: number | null = null;

  constructor(query: SqlToken, take: (line: Buffer) => void) {
    super(copyOf(query));
    this.#take = take;
  }

  /**
   * Called by pg with each message of a COPY, which from PostgreSQL is one row with its newline. Node
   * reads up to 2 MB from one socket before it looks at others, so the socket is paused in between.
   */
  handleCopyData(
    { chunk }: { readonly chunk: Buffer },
    { stream }: { readonly stream: Socket },
  ): void {
    this.#take(chunk);
    this.#began ??= performance.now();
    if (stream.isPaused() || performance.now() - this.#began < TURN_MS) return;
    stream.pause();
    setImmediate(() => {
      this.#began = null;
      stream.resume();
    });
  }
}

function copyOf(query: SqlToken, form: CopyForm = "text"): string {
  return `copy (${literalSql(query)}) to stdout (format ${form})`;
}

import type { ClientBase, PoolClient } from "pg";
import { to } from "pg-copy-streams";
import { createTextCopyReader, type TextRow } from "./text-copy.ts";

/**
 * The rows of a query in batches as they arrive, by COPY: with back-pressure down to the server, and
 * never more than a few batches in memory. The client is released; giving up early closes it.
 * @param query without parameters, see literal-sql
 */
export async function* copyOut(client: PoolClient, query: string): AsyncGenerator<TextRow[]> {
  let complete = false;
  try {
    yield* copyRows(client, query);
    complete = true;
  } finally {
    // A connection in the middle of a COPY can do nothing else any more.
    client.release(!complete);
  }
}

/** The same on a connection that goes on being used, unless this is given up early. */
export async function* copyRows(client: ClientBase, query: string): AsyncGenerator<TextRow[]> {
  const reader = createTextCopyReader();
  for await (const bytes of client.query(to(`copy (${query}) to stdout`))) {
    yield reader.read(bytes as Buffer);
  }
  reader.end();
}

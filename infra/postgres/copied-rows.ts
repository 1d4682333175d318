import { type PoolClient, Query } from "pg";

/**
 * Hands over the line of each row of a query as it arrives, by COPY, with its newline; the client is
 * released. For answers that are kept as a whole: nothing holds the server back, which costs a stream
 * of its own for each answer.
 * @param query without parameters, see literal-sql
 * @param take must not throw, nor keep the bytes
 */
export async function eachCopiedRow(
  client: PoolClient,
  query: string,
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

class CopiedRows extends Query {
  readonly #take: (line: Buffer) => void;

  constructor(query: string, take: (line: Buffer) => void) {
    super(`copy (${query}) to stdout`);
    this.#take = take;
  }

  /** What pg calls with each message of a COPY: PostgreSQL puts one row into it, and its newline. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.#take(chunk);
  }
}

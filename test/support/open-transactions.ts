import { setTimeout as delay } from "node:timers/promises";
import { withClient } from "./database-template.ts";

/**
 * Transactions of another database of the same server, one of them open at any time, so that
 * subscriptions to a log in PostgreSQL lag by up to twice `ms`: what tests forget to wait for shows.
 */
export function keepTransactionsOpen(databaseUrl: string, ms: number): () => Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  const begin = (startMs: number) =>
    withClient(databaseUrl, async (client) => {
      await delay(startMs, undefined, { signal }).catch(() => undefined);
      while (!signal.aborted) {
        await client.query("begin");
        await client.query("select pg_current_xact_id()");
        await delay(2 * ms, undefined, { signal }).catch(() => undefined);
        await client.query("commit");
      }
    });
  const both = Promise.all([begin(0), begin(ms)]);
  return async () => {
    ending.abort();
    await both;
  };
}

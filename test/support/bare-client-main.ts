/** What users of the client have to reckon with: each of the two ends the process that it is in. */
import { EventStoreDBClient, jsonEvent } from "@eventstore/db-client";

const [scenario, ...urls] = process.argv.slice(2);
const clients = urls.map((url) => EventStoreDBClient.connectionString(url));
const append = (client: EventStoreDBClient, text = "") =>
  client.appendToStream("stream", jsonEvent({ type: "Tested", data: { text } }));

/**
 * Two clients share one table of promises: the failure of the second empties it, then an answer to
 * the first comes, which nobody waits for any more.
 */
async function lateAnswer(): Promise<void> {
  await Promise.allSettled(clients.map((client) => append(client)));
  process.stdout.write("both have failed\n");
}

/** Appends wait for their turn to be written when the connection breaks. */
async function broken(): Promise<void> {
  const text = "x".repeat(100_000);
  const keepAppending = async (client: EventStoreDBClient): Promise<void> => {
    for (;;) await append(client, text).catch(() => null);
  };
  const appending = Array.from({ length: 40 }, () => clients.map(keepAppending));
  process.stdout.write("appending\n");
  await Promise.all(appending.flat());
}

setInterval(() => undefined, 60_000);
await (scenario === "late-answer" ? lateAnswer() : broken());

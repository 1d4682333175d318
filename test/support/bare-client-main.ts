/**
 * Two clients share one table of promises: the failure of the second empties it, then an answer to
 * the first comes, which nobody waits for any more. In a process of its own because it ends there.
 */
import { EventStoreDBClient, jsonEvent } from "@eventstore/db-client";

const appends = process.argv
  .slice(2)
  .map((url) =>
    EventStoreDBClient.connectionString(url).appendToStream(
      "stream",
      jsonEvent({ type: "Tested", data: {} }),
    ),
  );
await Promise.allSettled(appends);
process.stdout.write("both have failed\n");
setInterval(() => undefined, 60_000);

import { type Change, createEventStore } from "./event-store.ts";
import { type EventStoreServer, startEventStoreServer } from "./event-store-server.ts";
import { openJournal } from "./journal.ts";

/** A server that keeps what it acknowledges in `directory`, or only in memory without one. */
export async function startStoredServer(
  port: number,
  directory: string | null,
): Promise<EventStoreServer> {
  if (directory === null) return startEventStoreServer({ port });
  let write: (change: Change) => void = () => {};
  const store = createEventStore({ commit: (change) => write(change) });
  ({ write } = openJournal(directory, store.apply));
  return startEventStoreServer({ port, store });
}

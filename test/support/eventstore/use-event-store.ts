import { afterAll, beforeAll } from "vitest";
import { type EventStoreServer, startEventStoreServer } from "./event-store-server.ts";

/** A server of the protocol for the tests of a file; there only while they run. */
export function useEventStore(): EventStoreServer {
  let server: EventStoreServer | undefined;
  beforeAll(async () => {
    server = await startEventStoreServer();
  });
  afterAll(() => server?.stop());
  return new Proxy({} as EventStoreServer, {
    get(_, name) {
      if (!server) throw new Error("the server is there only while tests run");
      return Reflect.get(server, name);
    },
  });
}

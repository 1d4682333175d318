import { afterAll, beforeAll, beforeEach } from "vitest";
import { type NatsServer, startNatsServer } from "./nats-server.ts";

/** A broker for all tests of the file, that runs and has nothing stored before each. */
export function useBroker(): NatsServer {
  let server: NatsServer | undefined;
  beforeAll(async () => {
    server = await startNatsServer();
  });
  beforeEach(async () => {
    await broker().wipe();
    await broker().restart();
  });
  afterAll(() => server?.stop());

  function broker(): NatsServer {
    if (!server) throw new Error("the broker is there only while tests run");
    return server;
  }
  return {
    get url() {
      return broker().url;
    },
    kill: () => broker().kill(),
    restart: () => broker().restart(),
    wipe: () => broker().wipe(),
    stop: () => broker().stop(),
  };
}

import { startEventStoreProcess } from "../support/eventstore/event-store-process.ts";
import { startTcpRelay, type TcpRelay } from "../support/tcp-relay.ts";
import { type Part, restartable } from "./part.ts";

export type EventStorePart = Part & {
  /** By way of the relay. */
  readonly url: string;
  readonly relay: TcpRelay;
  readonly stop: () => Promise<void>;
};

export async function startEventStorePart(): Promise<EventStorePart> {
  const server = await startEventStoreProcess();
  const relay = await startTcpRelay(() => server.port);
  return {
    ...restartable("eventstore", server),
    url: `esdb://127.0.0.1:${relay.port}?tls=false`,
    relay,
    stop: async () => {
      await relay.close();
      await server.stop();
    },
  };
}

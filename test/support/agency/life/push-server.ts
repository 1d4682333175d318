import type { AddressInfo } from "node:net";
import websocket from "@fastify/websocket";
import fastify from "fastify";
import { idOf, type LifeChange } from "./life.ts";

export type PushServer = {
  /** `ws://127.0.0.1:…/standing_order/websocket` */
  readonly url: string;
  /** Clients that are connected, and how often one has connected. */
  readonly clients: () => number;
  readonly connections: () => number;
  /** Tells all clients what happened to an event, as EMSC does; who is not connected misses it. */
  readonly tell: (change: Pick<LifeChange, "before" | "after">) => void;
  /** Sends any text. */
  readonly send: (text: string) => void;
  /** Breaks all connections off. */
  readonly disconnect: () => void;
  readonly close: () => Promise<void>;
};

const PATH = "/standing_order/websocket";

/** A server that pushes events in EMSC's message shape, without replay and without pings. */
export async function startPushServer(): Promise<PushServer> {
  const app = fastify();
  await app.register(websocket);
  let connections = 0;
  app.get(PATH, { websocket: true }, () => {
    connections += 1;
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const { clients } = app.websocketServer;
  const send = (text: string): void => {
    for (const client of clients) client.send(text);
  };
  const disconnect = (): void => {
    for (const client of clients) client.terminate();
  };
  return {
    url: `ws://127.0.0.1:${port}${PATH}`,
    clients: () => clients.size,
    connections: () => connections,
    tell: (change) => {
      const message = emscMessage(change);
      if (message !== null) send(JSON.stringify(message));
    },
    send,
    disconnect,
    close: async () => {
      disconnect();
      await app.close();
    },
  };
}

/** Depth is positive in the properties and an altitude in the geometry; null where nothing happened. */
export function emscMessage({ before, after }: Pick<LifeChange, "before" | "after">) {
  const event = after ?? before;
  if (event === null) return null;
  const isSame = before === null || after === null || idOf(before) === idOf(after);
  const action = after === null ? "delete" : before === null || !isSame ? "create" : "update";
  const { row } = event;
  const { latitude, longitude, depth = null } = row;
  const id = idOf(event);
  return {
    action,
    data: {
      type: "Feature",
      geometry: {
        type: "Point",
        coordinates: [longitude, latitude, typeof depth === "number" ? -depth : null],
      },
      id,
      properties: {
        source_id: id,
        source_catalog: "EMSC-RTS",
        lastupdate: `${new Date(event.updatedMs ?? 0).toISOString().slice(0, -1)}000Z`,
        time: row["time"],
        flynn_region: row["region"],
        lat: latitude,
        lon: longitude,
        depth,
        evtype: row["event_type"] === "earthquake" ? "ke" : "km",
        auth: "EMSC",
        mag: row["magnitude"] ?? null,
        magtype: String(row["magnitude_type"] ?? "m").toLowerCase(),
        unid: id,
      },
    },
  };
}

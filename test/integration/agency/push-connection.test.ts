import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { keepConnected, type PushSource } from "#infra/agency/push.ts";
import { silentLogger } from "../../support/logger.ts";

const TIMES = { pingMs: 50, backoff: { baseMs: 20, capMs: 100 }, budgetMs: 60_000 };
/** Without pings that a busy machine does not answer in time. */
const UNHURRIED = { ...TIMES, pingMs: 60_000 };
const SOON = { timeout: 30_000, interval: 10 };

async function pushServer(port = 0, answersPings = true) {
  const server = new WebSocketServer({ host: "127.0.0.1", port, autoPong: answersPings });
  const clients: WebSocket[] = [];
  let pings = 0;
  server.on("connection", (client) => {
    clients.push(client);
    client.on("ping", () => {
      pings += 1;
    });
  });
  await once(server, "listening");
  const close = async () => {
    for (const client of server.clients) client.terminate();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  const at = (server.address() as AddressInfo).port;
  return { server, port: at, address: `ws://127.0.0.1:${at}`, clients, pings: () => pings, close };
}

/** Keeps a connection, and tells what happens to it. */
function listen(source: Omit<PushSource, "id" | "userAgent">, times = TIMES) {
  const told: string[] = [];
  const closing = new AbortController();
  const listener = {
    connected: () => told.push("connected"),
    lost: () => told.push("lost"),
    flooded: () => told.push("flooded"),
    message: (bytes: Buffer) => told.push(bytes.toString()),
  };
  const kept = keepConnected({ id: "emsc", userAgent: "test", ...source }, listener, {
    logger: silentLogger(),
    times,
    signal: closing.signal,
  });
  const close = async () => {
    closing.abort();
    await kept;
  };
  onTestFinished(close);
  return { told, close };
}

test("messages come in their order, whole, while pings are sent and answered", async () => {
  const { address, clients, pings } = await pushServer();
  const { told, close } = listen({ address });
  await expect.poll(() => clients.length, SOON).toBe(1);
  clients[0]?.send("one");
  clients[0]?.send("t", { fin: false });
  clients[0]?.send("wo");
  await expect.poll(() => told, SOON).toEqual(["connected", "one", "two"]);
  await expect.poll(pings, SOON).toBeGreaterThan(3);
  const closed = once(clients[0] as WebSocket, "close");
  await close();
  expect((await closed)[0]).toBe(1000);
  expect(told.at(-1)).toBe("lost");
  expect(clients).toHaveLength(1);
});

test("a server that answers no ping is left and asked again", async () => {
  const { address, clients } = await pushServer(0, false);
  const { told } = listen({ address });
  await expect.poll(() => clients.length, SOON).toBeGreaterThan(2);
  expect(told.slice(0, 4)).toEqual(["connected", "lost", "connected", "lost"]);
});

test("a server that breaks off, is away, or refuses is asked until it is there", async () => {
  const first = await pushServer();
  const { told } = listen({ address: first.address });
  await expect.poll(() => told, SOON).toEqual(["connected"]);
  await first.close();
  await expect.poll(() => told, SOON).toEqual(["connected", "lost"]);
  const second = await pushServer(first.port);
  await expect.poll(() => second.clients.length, SOON).toBe(1);
  expect(told).toEqual(["connected", "lost", "connected"]);
});

test("a message of more than 4 MiB ends the connection, which comes again", async () => {
  const { address, clients } = await pushServer();
  const { told } = listen({ address });
  await expect.poll(() => clients.length, SOON).toBe(1);
  clients[0]?.send("x".repeat(4 * 1024 * 1024 + 1));
  await expect.poll(() => clients.length, SOON).toBe(2);
  clients[1]?.send("after");
  await expect.poll(() => told, SOON).toEqual(["connected", "lost", "connected", "after"]);
});

test("nothing is connected to at a port that no agency has, or at what leads inward", async () => {
  const { port, clients } = await pushServer();
  const closed = [
    [[80, 443], "127.0.0.1"],
    [[port], "127.0.0.1"],
    [[port], "localhost"],
  ] as const;
  const waiting = closed.map(([ports, host]) =>
    listen({ address: `ws://${host}:${port}`, addresses: { isOpen: false, ports } }),
  );
  const open = listen({ address: `ws://127.0.0.1:${port}` });
  await expect.poll(() => open.told, SOON).toEqual(["connected"]);
  for (const { close, told } of waiting) {
    await close();
    expect(told).toEqual([]);
  }
  expect(clients).toHaveLength(1);
});

test("one that is told to close while nobody answers has ended at once", async () => {
  const { address, close } = await pushServer();
  await close();
  const waiting = listen({ address }, { ...TIMES, backoff: { baseMs: 60_000, capMs: 60_000 } });
  await waiting.close();
  expect(waiting.told).toEqual([]);
});

test.each([
  ["more than 600 messages", "x", 601],
  ["more than 8 MiB", "x".repeat(3 * 1024 * 1024), 3],
] as const)(
  "%s in a minute end the connection, and the rest is not read",
  async (_, text, enough) => {
    const { address, clients } = await pushServer();
    const { told } = listen({ address }, UNHURRIED);
    await expect.poll(() => clients.length, SOON).toBe(1);
    for (let i = 0; i < 2 * enough; i += 1) clients[0]?.send(text);
    await expect.poll(() => told.at(-1), SOON).toBe("lost");
    expect(told.length).toBe(enough + 2);
    expect(told.slice(-2)).toEqual(["flooded", "lost"]);
    expect(told.filter((one) => one === text)).toHaveLength(enough - 1);
    expect(clients).toHaveLength(1);
  },
);

test("a source that sent too much is connected to again once its minute is over, and heard as before", async () => {
  const { address, clients } = await pushServer();
  const { told } = listen({ address }, { ...UNHURRIED, budgetMs: 500 });
  await expect.poll(() => clients.length, SOON).toBe(1);
  for (let i = 0; i < 700; i += 1) clients[0]?.send("x");
  await expect.poll(() => clients.length, SOON).toBe(2);
  clients[1]?.send("after");
  await expect.poll(() => told.slice(-4), SOON).toEqual(["flooded", "lost", "connected", "after"]);
});

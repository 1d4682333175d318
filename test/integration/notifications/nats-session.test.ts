import type { Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { openNatsSession } from "#infra/brokers/nats.ts";
import { startNatsServer } from "../../support/nats-server.ts";

async function startServer(...options: string[]): Promise<(credentials: string) => string> {
  const server = await startNatsServer(options);
  onTestFinished(server.stop);
  return (credentials) => server.url.replace("nats://", `nats://${credentials}`);
}

describe("a session with the broker", () => {
  test("a session with the broker signs in with the user name and password of the address", async () => {
    const urlWith = await startServer("--user", "quakes", "--pass", "p@ss word");
    const session = await openNatsSession(urlWith("quakes:p%40ss%20word@"), "test");
    await session.connection.flush();
    await session.close();
    await expect(openNatsSession(urlWith("quakes:wrong@"), "test")).rejects.toThrow(
      /authorization/i,
    );
    await expect(openNatsSession(urlWith(""), "test")).rejects.toThrow(/authorization/i);
  });

  test("a session with the broker signs in with the token of the address", async () => {
    const urlWith = await startServer("--auth", "t0ken");
    const session = await openNatsSession(urlWith("t0ken@"), "test");
    await session.connection.flush();
    expect(session.lost.aborted).toBe(false);
    await session.close();
    await expect(openNatsSession(urlWith("t1ken@"), "test")).rejects.toThrow(/authorization/i);
  });

  test("a session with the broker reaches whichever server of a list is there, signed in by the first address", async () => {
    const options = ["--user", "quakes", "--pass", "p,ss"];
    const servers = [await startNatsServer(options), await startNatsServer(options)];
    for (const { stop } of servers) onTestFinished(stop);
    const [first = "", second = ""] = servers.map(({ url }) => url.replace("nats://", ""));
    for (const gone of servers) {
      await gone.kill();
      const session = await openNatsSession(`nats://quakes:p,ss@${first}, ${second}`, "test");
      await session.connection.flush();
      const [there] = servers.filter((server) => server !== gone);
      expect(session.connection.getServer()).toBe(there?.url.replace("nats://", ""));
      await session.close();
      await gone.restart();
    }
  });

  test("a session with the broker may be written to and closed while the broker's end of it arrives", async () => {
    const server = await startNatsServer();
    onTestFinished(server.stop);
    const { connection, lost, close } = await openNatsSession(server.url, "test");
    const { socket } = (connection as unknown as { protocol: { transport: { socket: Socket } } })
      .protocol.transport;
    const end = socket.end.bind(socket);
    // The client ends its side when the broker has ended its own.
    socket.end = () => {
      end();
      connection.publish("a", "message");
      // What is published is written a microtask later.
      queueMicrotask(() => queueMicrotask(() => void close()));
      return socket;
    };
    await server.kill();
    await expect.poll(() => lost.aborted).toBe(true);
    await expect.poll(() => socket.closed).toBe(true);
  });

  test("a session with the broker says when its connection is lost, and does not come back", async () => {
    const server = await startNatsServer();
    onTestFinished(server.stop);
    const session = await openNatsSession(server.url, "test");
    expect(session.lost.aborted).toBe(false);
    await server.kill();
    await expect.poll(() => session.lost.aborted).toBe(true);
    await server.restart();
    expect(session.connection.isClosed()).toBe(true);
    await session.close();
  });
});

import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { AnswerPieces } from "#services/handler.ts";
import type { AnswerScope } from "#services/turns.ts";
import { buildBareApp } from "../../support/bare-app.ts";

/** More than the sockets of both sides take. */
const PIECES = 200;
const PIECE = "x".repeat(64 * 1024);

let app: FastifyInstance | undefined;
afterEach(async () => {
  app?.server.closeAllConnections();
  await app?.close();
});

type Scene = {
  readonly ask: (method?: string) => Promise<Socket>;
  /** Resolves once the handler runs. */
  readonly asked: Promise<AnswerScope>;
  /** Lets the handler answer. */
  readonly answer: () => void;
  /** What befell what the answer held, in order. */
  readonly told: readonly string[];
  /** Resolves once everything was given back. */
  readonly released: Promise<void>;
};

/** A service whose one answer holds something from before its first piece, and while pieces are made. */
async function start(makePieces: () => AnswerPieces = manyPieces): Promise<Scene> {
  const told: string[] = [];
  const asked = Promise.withResolvers<AnswerScope>();
  const answering = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const getMetrics = async ({ scope }: { scope: AnswerScope }) => {
    asked.resolve(scope);
    await answering.promise;
    scope.own(() => {
      told.push("released");
      released.resolve();
    });
    return {
      contentType: "text/plain",
      async *open() {
        told.push("opened");
        try {
          yield* makePieces();
        } finally {
          told.push("given up");
        }
      },
    };
  };
  app = await buildBareApp({ getMetrics });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return {
    told,
    asked: asked.promise,
    released: released.promise,
    answer: answering.resolve,
    ask: async (method = "GET") => {
      const socket = connect(port, "127.0.0.1").on("error", () => undefined);
      socket.write(`${method} /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      return socket;
    },
  };
}

async function* manyPieces(): AnswerPieces {
  for (let i = 0; i < PIECES; i += 1) yield PIECE;
}

async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await once(socket, "close");
}

describe("what an answer holds is given back once", () => {
  test("when it is sent whole", async () => {
    const { ask, answer, told, released } = await start();
    answer();
    const socket = await ask();
    let bytes = 0;
    for await (const piece of socket) bytes += piece.length;
    await released;
    expect(bytes).toBeGreaterThan(PIECES * PIECE.length);
    expect(told).toEqual(["opened", "given up", "released"]);
  });

  test("when its client leaves before there is anything to hold", async () => {
    const { ask, asked, answer, told, released } = await start();
    const socket = await ask();
    const { signal } = await asked;
    socket.resetAndDestroy();
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
    answer();
    await released;
    // What is not begun holds nothing.
    expect(told).toEqual(["released"]);
  });

  test("when its client leaves in the midst of it", async () => {
    const { ask, answer, told } = await start();
    answer();
    const socket = await ask();
    await once(socket, "data");
    socket.destroy();
    await vi.waitFor(() => expect(told.toSorted()).toEqual(["given up", "opened", "released"]));
  });

  test("when making it fails", async () => {
    const { ask, answer, told, released } = await start(async function* () {
      yield PIECE;
      throw new Error("the source is gone");
    });
    answer();
    await closed((await ask()).resume());
    await released;
    expect(told).toEqual(["opened", "given up", "released"]);
  });

  test("when nobody wants more than its head", async () => {
    const { ask, answer, told, released } = await start();
    answer();
    await closed((await ask("HEAD")).resume());
    await released;
    expect(told).toEqual(["released"]);
  });

  test("when all connections are closed", async () => {
    const { ask, answer, told } = await start();
    answer();
    const stalled = await ask();
    await once(stalled, "readable");
    app?.server.closeAllConnections();
    await vi.waitFor(() => expect(told.toSorted()).toEqual(["given up", "opened", "released"]));
    await closed(stalled.resume());
  });
});

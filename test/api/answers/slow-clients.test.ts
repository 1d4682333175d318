import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { afterEach, describe, expect, test } from "vitest";
import { TIMEOUTS, type Timeouts } from "#services/gateway/connections.ts";
import type { AnswerPieces, Handlers } from "#services/handler.ts";
import type { AnswerScope } from "#services/turns.ts";
import { buildBareApp } from "../../support/bare-app.ts";

const SHORT_MS = 100;
const PIECE = "x".repeat(64 * 1024);
/** More than the sockets of both sides take. */
const MANY = 200;

let app: FastifyInstance | undefined;
afterEach(async () => {
  app?.server.closeAllConnections();
  await app?.close();
});

/** @returns the port */
async function start(
  handlers: Partial<Handlers>,
  timeouts: Partial<Timeouts> = { paceMs: SHORT_MS },
): Promise<number> {
  app = await buildBareApp(handlers, { timeouts: { ...TIMEOUTS, checkMs: 20, ...timeouts } });
  await app.listen({ host: "127.0.0.1", port: 0 });
  return (app.server.address() as AddressInfo).port;
}

/** A client that takes nothing, unless it is resumed. */
async function ask(port: number, path: string, more = ""): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  await once(socket, "connect");
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`);
  return socket;
}

type Over = { readonly scope: AnswerScope; readonly over: Promise<void> };

/** Answers that tell when they are over. */
function watched(makePieces: (scope: AnswerScope) => AnswerPieces, contentType = "text/plain") {
  const answers: Over[] = [];
  const begun = Promise.withResolvers<void>();
  const handler = async ({ scope }: { scope: AnswerScope }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    scope.own(resolve);
    answers.push({ scope, over: promise });
    begun.resolve();
    return { contentType, open: () => makePieces(scope) };
  };
  const first = async (): Promise<Over> => {
    await begun.promise;
    return answers[0] as Over;
  };
  return { handler, first };
}

async function* manyPieces(): AnswerPieces {
  for (let i = 0; i < MANY; i += 1) yield PIECE;
}

describe("a client that takes nothing of its answer", () => {
  test("a client that takes nothing of its answer is cut off when it is streamed", async () => {
    const { handler, first } = watched(manyPieces);
    await ask(await start({ getMetrics: handler }), "/metrics");
    await (await first()).over;
  });

  test("a client that takes nothing of its answer is cut off when it is JSON that is in memory", async () => {
    const over = Promise.withResolvers<void>();
    const getReadiness: Handlers["getReadiness"] = async ({ scope }) => {
      scope.own(over.resolve);
      const message = PIECE.repeat(MANY);
      const checks = [{ name: "large", status: "healthy" as const, message }];
      return { body: { status: "ready" as const, timestamp: "", checks, responseTime: "0ms" } };
    };
    await ask(await start({ getReadiness }), "/api/ready");
    await over.promise;
  });

  test("a client that takes nothing of its answer is cut off when it has asked for several answers at once", async () => {
    const { handler, first } = watched(manyPieces);
    const socket = await ask(await start({ getMetrics: handler }), "/metrics");
    socket.write("GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n".repeat(5));
    await (await first()).over;
  });

  test("a client that takes nothing of its answer is cut off when it has closed its own direction", async () => {
    const { handler, first } = watched(manyPieces);
    const socket = await ask(await start({ getMetrics: handler }), "/metrics");
    await once(socket, "readable");
    socket.end();
    await (await first()).over;
  });

  test("a client that takes nothing of its answer listens on to a stream of events", async () => {
    const events = watched(manyPieces, "text/event-stream");
    const other = watched(manyPieces);
    const port = await start({ getMetrics: events.handler, getOpenApi: other.handler as never });
    await ask(port, "/metrics");
    await events.first();
    // Asked for later, and cut off sooner.
    await ask(port, "/api/openapi.json");
    await (await other.first()).over;
    expect((await events.first()).scope.signal.aborted).toBe(false);
  });
});

test("an answer that takes long to make is not cut off", async () => {
  const stalled = watched(manyPieces);
  const slow = watched(async function* () {
    yield "begun";
    await (await stalled.first()).over;
    yield "done";
  });
  const port = await start({ getMetrics: slow.handler, getOpenApi: stalled.handler as never });
  const taking = await ask(port, "/metrics", "connection: close\r\n");
  await once(taking, "readable");
  await ask(port, "/api/openapi.json");
  const text = (await taking.setEncoding("utf8").toArray()).join("");
  expect(text).toContain("begun");
  expect(text).toContain("done");
});

test("an answer ends when its time is over, however fast its client", async () => {
  const endless = watched(async function* (scope) {
    while (!scope.signal.aborted) yield PIECE;
  });
  const port = await start({ getMetrics: endless.handler }, { answerMs: SHORT_MS });
  const socket = await ask(port, "/metrics");
  socket.resume();
  await (await endless.first()).over;
  expect((await endless.first()).scope.signal.aborted).toBe(true);
});

test("a stop cuts off what slow clients still hold after its time", async () => {
  const { handler, first } = watched(manyPieces);
  const port = await start({ getMetrics: handler }, { stopMs: SHORT_MS });
  await ask(port, "/metrics");
  const { over } = await first();
  // Begun, and never brought to an end.
  const unfinished = connect(port, "127.0.0.1").on("error", () => undefined);
  unfinished.write("GET /api/health HTTP/1.1\r\nhost:");
  // A reset is as good an end as any.
  const closed = new Promise((resolve) => unfinished.once("close", resolve));
  await once(unfinished, "connect");
  await app?.close();
  await Promise.all([closed, over]);
});

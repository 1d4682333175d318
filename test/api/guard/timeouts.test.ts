import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildBareApp } from "../../support/bare-app.ts";

const SHORT_MS = 200;
/** Further than any test here goes. */
const FAR_MS = 60_000;
const FAR = {
  headersMs: FAR_MS,
  bodyIdleMs: FAR_MS,
  requestMs: FAR_MS,
  keepAliveMs: FAR_MS,
  paceMs: FAR_MS,
  answerMs: FAR_MS,
  stopMs: FAR_MS,
  checkMs: 20,
};
const POST = "POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";

/** What the server says, to the end of the connection, to a client that sends only so much. */
async function untilClosed(app: FastifyInstance, ...parts: string[]): Promise<string> {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  const received: string[] = [];
  socket.on("data", (text: string) => received.push(text));
  for (const part of parts) socket.write(part);
  await once(socket, "close");
  return received.join("");
}

function useApp(timeouts: Partial<typeof FAR>): { readonly app: FastifyInstance } {
  const used: { app?: FastifyInstance } = {};
  beforeAll(async () => {
    const { promise: never } = Promise.withResolvers<never>();
    const login = () => never;
    const getHealth = async () => ({ body: { status: "ok" } }) as const;
    used.app = await buildBareApp({ login, getHealth }, { timeouts: { ...FAR, ...timeouts } });
    await used.app.listen({ host: "127.0.0.1", port: 0 });
  });
  afterAll(async () => {
    used.app?.server.closeAllConnections();
    await used.app?.close();
  });
  return {
    get app() {
      if (!used.app) throw new Error("the application is there only while tests run");
      return used.app;
    },
  };
}

function expectTimeout(answer: string): void {
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toMatch(/connection: close/i);
  const [, body = ""] = answer.split("\r\n\r\n");
  expect(JSON.parse(body)).toEqual({
    error: "The request took too long to arrive",
    code: "REQUEST_TIMEOUT",
  });
}

describe("headers that do not come to an end", () => {
  const used = useApp({ headersMs: SHORT_MS });
  test("headers that do not come to an end are answered 408, and the connection is closed", async () => {
    expectTimeout(await untilClosed(used.app, POST));
  });
});

describe("a body that stands still", () => {
  const used = useApp({ bodyIdleMs: SHORT_MS });

  test("a body that stands still is answered 408, and the connection is closed", async () => {
    expectTimeout(await untilClosed(used.app, `${POST}content-length: 100\r\n\r\n`, '{"email"'));
  });

  test("a body that stands still does not bound how long an answer takes", async () => {
    const body = JSON.stringify({ email: "a@example.org", password: "x" });
    const { port } = used.app.server.address() as AddressInfo;
    const socket = connect(port, "127.0.0.1");
    socket.write(`${POST}content-length: ${body.length}\r\n\r\n${body}`);
    // Another request, begun later, runs into the same timer: the first one has outlived it then.
    expectTimeout(await untilClosed(used.app, `${POST}content-length: 100\r\n\r\n`));
    expect(socket.destroyed).toBe(false);
    socket.destroy();
  });
});

describe("a request that comes byte by byte", () => {
  const used = useApp({ requestMs: SHORT_MS, headersMs: SHORT_MS });
  test("a request that comes byte by byte is answered 408 when its time is over", async () => {
    expectTimeout(await untilClosed(used.app, `${POST}content-length: 100\r\n\r\n`, "{"));
  });
});

describe("a connection kept alive", () => {
  const used = useApp({ keepAliveMs: SHORT_MS });
  test("a connection kept alive is closed when no other request comes", async () => {
    const answer = await untilClosed(used.app, "GET /api/health HTTP/1.1\r\nhost: x\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});

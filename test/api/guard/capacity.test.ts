import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { FastifyInstance } from "fastify";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { COLUMNS_LIMITS } from "#contracts/query/packed-columns.ts";
import { createBodyBudget } from "#services/gateway/bodies.ts";
import { excessOf, PRESSURE } from "#services/gateway/connections.ts";
import { handlersOfService } from "#services/gateway/health/handlers.ts";
import type { Actor, Handlers } from "#services/handler.ts";
import type { HandlerDeps } from "#services/handler-deps.ts";
import { buildBareApp } from "../../support/bare-app.ts";

describe("the bytes of bodies:", () => {
  const MIB = 1024 * 1024;
  const BUDGET = 3 * MIB;
  const EDITOR: Actor = {
    userId: "user_1_editor",
    email: "a@example.org",
    name: "editor",
    role: "editor",
    sessionId: randomUUID(),
    expires: "2030-01-01T00:00:00.000Z",
  };

  let app: FastifyInstance;
  let url = "";
  /** Resolves as often as a body has come whole. */
  let whole: PromiseWithResolvers<void>;
  let answer: PromiseWithResolvers<void>;
  beforeEach(async () => {
    whole = Promise.withResolvers();
    answer = Promise.withResolvers();
    const createCatalogue = (async () => {
      whole.resolve();
      await answer.promise;
      return { body: {} };
    }) as unknown as Handlers["createCatalogue"];
    app = await buildBareApp(
      { createCatalogue },
      {
        readActor: async () => EDITOR,
        checkAnswers: false,
        config: { maxBodyBytes: 2 * MIB },
        bodyBudgetBytes: BUDGET,
      },
    );
    url = await app.listen({ host: "127.0.0.1", port: 0 });
  });
  afterEach(async () => {
    answer.resolve();
    app.server.closeAllConnections();
    await app.close();
  });

  type Sent = { readonly status: number; readonly retryAfter: string; readonly body: string };

  /** Sends a body of so many bytes, with its length or in chunks. */
  function send(bytes: number, chunked = false): Promise<Sent> {
    const token = app.jwt.sign({ sub: EDITOR.userId, sid: EDITOR.sessionId }, { expiresIn: 60 });
    const { promise, resolve, reject } = Promise.withResolvers<Sent>();
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...(!chunked && { "content-length": bytes }),
    };
    const sent = request(`${url}/api/catalogues`, { method: "POST", headers, agent: false });
    sent.on("response", async (response) => {
      const parts = await response.setEncoding("utf8").toArray();
      const { statusCode: status = 0, headers: received } = response;
      resolve({ status, retryAfter: received["retry-after"] ?? "", body: parts.join("") });
    });
    sent.on("error", reject);
    sent.end(Buffer.alloc(bytes, " "));
    return promise;
  }

  describe("bodies beyond what all may hold in memory together", () => {
    test.each([false, true])(
      "bodies beyond what all may hold in memory together are 503 with Retry-After, in chunks: %s",
      async (chunked) => {
        const first = send(2 * MIB);
        await whole.promise;
        const refused = await send(1.5 * MIB, chunked);
        expect(refused.status).toBe(503);
        expect(Number(refused.retryAfter)).toBeGreaterThan(0);
        expect(JSON.parse(refused.body)).toEqual({
          error: "Too many large bodies are being read; try again",
          code: "UNAVAILABLE",
        });
        answer.resolve();
        expect((await first).status).toBe(201);
        // What the first held is there again.
        expect((await send(1.5 * MIB, chunked)).status).toBe(201);
      },
    );

    test("bodies beyond what all may hold in memory together keep no small one from being read", async () => {
      const first = send(2 * MIB);
      await whole.promise;
      const second = send(1 * MIB);
      const small = Array.from({ length: 30 }, () => send(64 * 1024));
      answer.resolve();
      const answers = await Promise.all([first, second, ...small]);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    });

    test("bodies beyond what all may hold in memory together do not count once their client has left", async () => {
      const token = app.jwt.sign({ sub: EDITOR.userId, sid: EDITOR.sessionId }, { expiresIn: 60 });
      const left = request(`${url}/api/catalogues`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "content-length": 2 * MIB,
        },
        agent: false,
      });
      left.on("error", () => undefined);
      const gone = new Promise((resolve) =>
        app.server.once("connection", (s) => s.on("close", resolve)),
      );
      left.write(Buffer.alloc(2 * MIB - 1), () => left.destroy());
      await gone;
      answer.resolve();
      expect((await send(2 * MIB)).status).toBe(201);
    });
  });

  test("whoever is not signed in sends no body that counts", async () => {
    const response = await fetch(`${url}/api/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: " ".repeat(64 * 1024 + 1),
    });
    expect(response.status).toBe(413);
  });

  test("a body counts until the work that outlasts its request is done with it, and no longer", () => {
    const budget = createBodyBudget(BUDGET);
    const release = budget.keep(new Uint8Array(2 * MIB));
    expect(budget.hasRoom(2 * MIB)).toBe(false);
    release();
    release();
    expect(budget.hasRoom(BUDGET)).toBe(true);
    expect(budget.hasRoom(BUDGET + 1)).toBe(false);
  });
});

describe("the memory of a body:", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;

  const MIB = 1024 * 1024;
  /** As many as whoever has not signed in may send. */
  const BYTES = 60_000;
  const HEAD =
    "POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
  const BYTE_BY_BYTE = "1\r\n \r\n".repeat(BYTES);

  let app: FastifyInstance;
  beforeAll(async () => {
    app = await buildBareApp({ login: async () => ({ body: {} as never }) });
    await app.listen({ host: "127.0.0.1", port: 0 });
  });
  afterAll(() => app.close());

  /** What is in use, MiB. */
  function used(): number {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / MIB;
  }

  test("a body that comes byte by byte takes little more memory than its bytes", async () => {
    const { port } = app.server.address() as AddressInfo;
    const accepted = once(app.server, "connection") as Promise<[Socket]>;
    const client = connect(port, "127.0.0.1");
    const [served] = await accepted;
    const before = used();
    const sent = Buffer.from(HEAD + BYTE_BY_BYTE);
    client.write(sent);
    await vi.waitFor(() => expect(served.bytesRead).toBe(sent.length), { timeout: 60_000 });
    const taken = used() - before;
    client.destroy();
    // What the test itself sent is the most of it.
    expect(taken).toBeLessThan(5);
  });
});

describe("times that are over:", () => {
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
});

describe("pressure:", () => {
  let app: FastifyInstance;
  afterEach(() => app.close());

  const handlers = {
    getHealth: async () => ({ body: { status: "ok" } }) as const,
    getReadiness: async () => ({
      body: { status: "ready" as const, timestamp: "", checks: [], responseTime: "0ms" },
    }),
    getSession: async () => ({ body: {} }),
  };

  /** An application whose every sample shows what `limits` call too much. */
  async function start(limits: Partial<typeof PRESSURE>): Promise<void> {
    app = await buildBareApp(handlers, { pressure: { ...PRESSURE, sampleMs: 10, ...limits } });
  }

  const get = (url: string) => app.inject({ url });
  const WAIT = { timeout: 10_000, interval: 20 };

  describe("under pressure", () => {
    test.each([
      ["the heap", { heapBytes: 1 }],
      ["the resident set", { residentBytes: 1 }],
      ["the event loop's delay", { eventLoopDelayMs: Number.MIN_VALUE }],
      ["a busy and late event loop", { eventLoopUtilisation: Number.MIN_VALUE, busyDelayMs: 0 }],
    ])("of %s requests are shed with 503 and told when to come again", async (_title, limits) => {
      await start(limits);
      const answer = await vi.waitFor(async () => {
        const given = await get("/api/auth/session");
        expect(given.statusCode).toBe(503);
        return given;
      }, WAIT);
      expect(answer.json()).toEqual({
        error: "The service is temporarily unavailable",
        code: "UNAVAILABLE",
      });
      expect(Number(answer.headers["retry-after"])).toBeGreaterThan(1);
      expect(answer.headers).toHaveProperty("x-request-id");
    });

    test("what watches the service is answered", async () => {
      await start({ heapBytes: 1 });
      await vi.waitFor(async () => {
        expect((await get("/api/auth/session")).statusCode).toBe(503);
      }, WAIT);
      for (const url of ["/api/health", "/api/ready"])
        expect((await get(url)).statusCode).toBe(200);
    });
  });

  test("an event loop that is busy but punctual sheds nothing, and one that is late does", () => {
    const sample = { utilization: 1, heap: 0, resident: 0 };
    expect(excessOf({ ...sample, delayMs: PRESSURE.busyDelayMs }, PRESSURE)).toBeNull();
    expect(excessOf({ ...sample, delayMs: PRESSURE.busyDelayMs + 1 }, PRESSURE)).not.toBeNull();
    const late = { ...sample, utilization: 0, delayMs: PRESSURE.eventLoopDelayMs + 1 };
    expect(excessOf(late, PRESSURE)).not.toBeNull();
  });

  test("while requests are shed readiness answers 503 and says why", async () => {
    const never = Number.POSITIVE_INFINITY;
    const late = { eventLoopDelayMs: never, eventLoopUtilisation: never };
    const pressure = { ...PRESSURE, ...late, sampleMs: 10, heapBytes: 1 };
    app = await buildBareApp(
      {},
      {
        pressure,
        createHandlers: ({ shedding }) =>
          ({
            ...handlers,
            ...handlersOfService({
              checks: async () => ({}),
              columnsLimits: COLUMNS_LIMITS,
              now: () => new Date(),
              shedding,
            } as unknown as HandlerDeps),
          }) as unknown as Handlers,
      },
    );
    const report = await vi.waitFor(async () => {
      const answer = await get("/api/ready");
      expect(answer.statusCode).toBe(503);
      return answer.json();
    }, WAIT);
    expect(report).toMatchObject({
      status: "not_ready",
      checks: [
        { name: "pressure", status: "unhealthy", message: "Requests are shed: the heap is full" },
      ],
    });
    expect((await get("/api/auth/session")).statusCode).toBe(503);
  });

  test("the work of the start is no load, and nothing of it is shed", async () => {
    await start({ sampleMs: 500, eventLoopDelayMs: 200 });
    const end = performance.now() + 700;
    while (performance.now() < end);
    expect((await get("/api/auth/session")).statusCode).toBe(200);
  });
});

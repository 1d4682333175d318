import { randomUUID } from "node:crypto";
import { request } from "node:http";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createBodyBudget } from "#services/gateway/capacity/body-budget.ts";
import type { Actor, Handlers } from "#services/gateway/http/handler.ts";
import { buildBareApp } from "../../support/bare-app.ts";

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

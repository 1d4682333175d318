import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Role } from "#contracts/roles.ts";
import type { Actor } from "#services/gateway/http/handler.ts";
import { buildBareApp } from "../../support/bare-app.ts";

const sessionId = randomUUID();
const actor = (role: Role): Actor => ({
  userId: "user_1_reader",
  email: "a@example.org",
  name: role,
  role,
  sessionId,
  expires: "2030-01-01T00:00:00.000Z",
});

/** For whom each run of a handler was. */
let runs: (Actor | null)[] = [];
/** What the database says of the session now. */
let session: () => Promise<Actor | null>;
let app: FastifyInstance;

beforeEach(async () => {
  runs = [];
  app = await buildBareApp(
    {
      getSession: async (call) => {
        runs.push(call.actor);
        return { body: {} };
      },
      listUsers: async (call) => {
        runs.push(call.actor);
        return { body: { users: [], total: 0, page: 1, pageSize: 20 } };
      },
    },
    { readActor: () => session(), checkAnswers: false },
  );
  await app.ready();
});
afterEach(() => app.close());

async function get(url: string): Promise<number> {
  return (await answerTo(url)).statusCode;
}

async function answerTo(url: string) {
  const token = app.jwt.sign({ sub: "user_1_reader", sid: sessionId }, { expiresIn: 60 });
  const headers = { authorization: `Bearer ${token}` };
  return app.inject({ method: "GET", url, headers });
}

/** A first request of the session, after which the caller is known. */
async function knownAs(role: Role): Promise<void> {
  session = async () => actor(role);
  await get("/api/auth/session");
  runs = [];
}

test("nothing is done for a request before its session is read", async () => {
  await knownAs("viewer");
  const { promise, resolve } = Promise.withResolvers<Actor>();
  session = () => promise;
  const answer = get("/api/auth/session");
  await setImmediate();
  expect(runs).toEqual([]);
  resolve(actor("editor"));
  expect(await answer).toBe(200);
  expect(runs).toEqual([actor("editor")]);
});

test("a role that was taken away ends with the next request", async () => {
  await knownAs("admin");
  session = async () => actor("viewer");
  expect(await get("/api/users")).toBe(403);
  expect(runs).toEqual([]);
});

test("a session that has ended is refused with the next request", async () => {
  await knownAs("admin");
  session = async () => null;
  expect(await get("/api/users")).toBe(401);
  expect(runs).toEqual([]);
});

test("a role that was given holds for the next request", async () => {
  await knownAs("viewer");
  session = async () => actor("admin");
  expect(await get("/api/users")).toBe(200);
  expect(runs).toEqual([actor("admin")]);
});

test("nothing is read for a caller whose session cannot be read", async () => {
  await knownAs("admin");
  session = async () => {
    throw new Error("connection terminated unexpectedly");
  };
  const answer = await answerTo("/api/users");
  expect(answer.json()).toMatchObject({ code: "DATABASE_ERROR" });
  expect(runs).toEqual([]);
});

import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ApiError } from "#contracts/errors.ts";
import type { Role } from "#contracts/roles.ts";
import type { Actor } from "#services/gateway/handler.ts";
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
let listing: () => void;
let app: FastifyInstance;

beforeEach(async () => {
  runs = [];
  listing = () => undefined;
  app = await buildBareApp(
    {
      getSession: async (call) => {
        runs.push(call.actor);
        return { body: {} };
      },
      listUsers: async (call) => {
        runs.push(call.actor);
        listing();
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

/** Reads once for the caller, who is remembered. */
async function seenAs(role: Role): Promise<void> {
  session = async () => actor(role);
  await get("/api/auth/session");
  runs = [];
}

test("a read is done once for the caller as last seen, while the session is read", async () => {
  await seenAs("viewer");
  const { promise, resolve } = Promise.withResolvers<Actor>();
  session = () => promise;
  const answer = get("/api/auth/session");
  await expect.poll(() => runs).toEqual([actor("viewer")]);
  resolve(actor("viewer"));
  expect(await answer).toBe(200);
  expect(runs).toHaveLength(1);
});

test("it is done again for a caller who has changed, and that answer is given", async () => {
  await seenAs("viewer");
  session = async () => actor("editor");
  expect(await get("/api/auth/session")).toBe(200);
  expect(runs).toEqual([actor("viewer"), actor("editor")]);
});

test("a role that was taken away ends at once, and nothing of the answer is given", async () => {
  await seenAs("admin");
  session = async () => actor("viewer");
  expect(await get("/api/users")).toBe(403);
  session = async () => null;
  expect(await get("/api/users")).toBe(401);
});

test("a role that was given holds at once", async () => {
  await seenAs("viewer");
  session = async () => actor("admin");
  expect(await get("/api/users")).toBe(200);
  expect(runs).toEqual([actor("admin")]);
});

test("a failure for the caller as last seen is no answer to another", async () => {
  await seenAs("admin");
  listing = () => {
    if (runs.length === 1) throw new ApiError("NOT_FOUND");
  };
  session = async () => ({ ...actor("admin"), name: "renamed" });
  expect(await get("/api/users")).toBe(200);
  listing = () => {
    throw new ApiError("NOT_FOUND");
  };
  expect(await get("/api/users")).toBe(404);
});

test("without the session there is no answer, whatever the read came to", async () => {
  await seenAs("admin");
  session = async () => {
    throw new Error("connection terminated unexpectedly");
  };
  const answer = await answerTo("/api/users");
  expect(answer.json()).toMatchObject({ code: "DATABASE_ERROR" });
  expect(runs).toHaveLength(1);
});

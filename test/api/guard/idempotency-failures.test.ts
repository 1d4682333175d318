import { randomBytes, randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { type DatabasePool, sql } from "slonik";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { WrongExpectedRevision } from "#infra/event-log/errors.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { createPresence, type Presence } from "#infra/postgres/presence.ts";
import { newPersonalKey } from "#infra/security/personal-data.ts";
import { storeCredentials } from "#infra/security/vault/credentials.ts";
import type { Command } from "#services/commands/context.ts";
import { otherChange } from "#services/domain/catalogue/decide.ts";
import { requestHash } from "#services/gateway/idempotency/once-by-key.ts";
import {
  createReservations,
  type Reservations,
} from "#services/gateway/idempotency/reservations.ts";
import { REPLAYED } from "#services/gateway/idempotency/stored-answer.ts";
import { BARE_SECRET, buildBareApp } from "../../support/bare-app.ts";
import { useDatabase } from "../../support/database.ts";

const USER = "user_1_idempotent";
const CATALOGUE = "/api/catalogues/00000000-0000-4000-8000-000000000000";
const ACTOR = { userId: USER, email: "a@example.org", name: "A", role: "editor" } as const;
const database = useDatabase();

let pool: DatabasePool;
let presence: Presence;
let reservations: Reservations;
let app: FastifyInstance | undefined;

beforeAll(async () => {
  pool = await createDatabase(database.url, { applicationName: "test" });
  presence = await createPresence(database.url);
  reservations = createReservations({ pool, presence });
  await storeCredentials(pool, {
    userId: USER,
    personalKey: newPersonalKey(),
    passwordHash: "x",
    at: new Date(),
  });
});
afterEach(() => app?.close());
afterAll(async () => {
  await presence.close();
  await pool.end();
});

/** Deletes a catalogue by key over and over; what `run` does is the effect. */
async function deleting(run: (command: Command) => Promise<unknown>) {
  const session = { ...ACTOR, sessionId: randomUUID(), expires: "2030-01-01T00:00:00.000Z" };
  const built = await buildBareApp(
    {
      deleteCatalogue: async ({ command }) => ({ body: (await run(command)) as { success: true } }),
    },
    { reservations, readActor: async () => session, checkAnswers: false },
  );
  app = built;
  await built.ready();
  const token = built.jwt.sign({ sub: USER, sid: session.sessionId }, { expiresIn: 60 });
  const headers = { authorization: `Bearer ${token}`, "idempotency-key": randomUUID() };
  const send = () => built.inject({ method: "DELETE", url: CATALOGUE, headers });
  return { send, key: headers["idempotency-key"] };
}

test("an answer from 500 on is not kept: the next run is the same command again", async () => {
  const commands: Command[] = [];
  const { send } = await deleting(async (command) => {
    commands.push(command);
    if (commands.length === 1) throw new Error("a fault");
    return { success: true };
  });
  expect([await send(), await send(), await send()].map(({ statusCode }) => statusCode)).toEqual([
    500, 200, 200,
  ]);
  const [first, second] = commands;
  expect(commands).toHaveLength(2);
  expect(first).toMatchObject({ actor: USER, retried: false });
  expect(second).toEqual({ ...first, retried: true });
});

test.each([
  ["somebody else's change", otherChange()],
  ["changes at once", new WrongExpectedRevision("catalogue-1", 1, 2)],
])(
  "a conflict with %s passes, so it is not kept and tells when to send again",
  async (_, conflict) => {
    let runs = 0;
    const { send } = await deleting(async () => {
      runs += 1;
      if (runs === 1) throw conflict;
      return { success: true };
    });
    const [first, second, third] = [await send(), await send(), await send()];
    expect([first, second, third].map(({ statusCode }) => statusCode)).toEqual([409, 200, 200]);
    expect(Number(first?.headers["retry-after"])).toBeGreaterThan(0);
    expect(second?.headers[REPLAYED]).toBeUndefined();
    expect(third?.headers[REPLAYED]).toBe("true");
  },
);

test("an answer over 1 MiB is not kept, but the request is not done twice", async () => {
  let runs = 0;
  const { send } = await deleting(async () => {
    runs += 1;
    return { text: "x".repeat(1024 * 1024) };
  });
  expect((await send()).statusCode).toBe(200);
  const again = await send();
  expect(again.statusCode).toBe(409);
  expect(again.json()).toEqual({
    error: "The request was carried out; its answer was not kept",
    code: "CONFLICT",
    details: [{ status: 200 }],
  });
  expect(runs).toBe(1);
});

test("a key of another process is waited for while that lives, and taken over when it is gone", async () => {
  const commands: Command[] = [];
  const { send, key } = await deleting(async (command) => {
    commands.push(command);
    return { success: true };
  });
  const other = await createPresence(database.url);
  const elsewhere = createReservations({ pool, presence: other });
  const held = await holdSameRequest(elsewhere, key);

  const waiting = await send();
  expect(waiting.statusCode).toBe(409);
  expect(waiting.headers["retry-after"]).toBe("1");
  expect(commands).toEqual([]);

  await other.close();
  expect((await send()).statusCode).toBe(200);
  expect(commands).toEqual([{ id: held, actor: USER, retried: true }]);
});

test("an answer that could not be kept is kept later, and the key is not held for ever", async () => {
  const owner = { userId: USER, key: randomUUID() };
  const hash = randomBytes(32);
  const lost = await createDatabase(database.url, { applicationName: "lost" });
  const cutOff = createReservations({ pool: lost, presence });
  expect(await cutOff.reserve(owner, hash)).toMatchObject({ outcome: "run", retried: false });
  await lost.end();
  const answer = { status: 200, headers: {}, body: "{}" };
  const kept = { ...answer, about: USER };
  await expect(cutOff.finish(owner, kept)).rejects.toThrow();
  // The process itself takes up again what it does not run any more.
  expect(await reservations.reserve(owner, hash)).toMatchObject({ outcome: "run", retried: true });
  await reservations.finish(owner, kept);
  expect(await reservations.reserve(owner, hash)).toEqual({ outcome: "answered", answer });
});

test("a key that is taken up again while its former run is made up for stays held", async () => {
  const owner = { userId: USER, key: randomUUID() };
  const hash = randomBytes(32);
  let frees = 0;
  const freed = Promise.withResolvers<void>();
  const query: DatabasePool["query"] = async (token, ...rest) => {
    if (!token.sql.includes("set worker = null")) return pool.query(token, ...rest);
    frees += 1;
    if (frees === 1) throw new Error("the database is away");
    await freed.promise;
    return pool.query(token, ...rest);
  };
  const slow = createReservations({ pool: { ...pool, query } as DatabasePool, presence });
  await slow.reserve(owner, hash);
  await expect(slow.finish(owner, null)).rejects.toThrow();
  const sweeping = slow.sweep();
  const again = slow.reserve(owner, hash);
  // Time enough for the reservation, did it not wait.
  for (let trips = 0; trips < 50; trips += 1) await pool.query(sql.unsafe`select 1`);
  freed.resolve();
  await sweeping;
  expect(await again).toMatchObject({ outcome: "run", retried: true });
  const other = await createPresence(database.url);
  const elsewhere = createReservations({ pool, presence: other });
  expect(await elsewhere.reserve(owner, hash)).toEqual({ outcome: "running" });
  await other.close();
});

/** Takes the key for the request that `send` sends; answers the command's id. */
async function holdSameRequest(elsewhere: Reservations, key: string): Promise<string> {
  const request = { method: "DELETE", url: CATALOGUE, body: Buffer.alloc(0) };
  const reserved = await elsewhere.reserve(
    { userId: USER, key },
    await requestHash(BARE_SECRET, request),
  );
  if (reserved.outcome !== "run") throw new Error("the key was not free");
  return reserved.commandId;
}

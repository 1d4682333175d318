import { randomBytes, randomUUID } from "node:crypto";
import fc from "fast-check";
import type { FastifyInstance } from "fastify";
import { type DatabasePool, sql } from "slonik";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ZodType } from "zod";
import { operations } from "#contracts/http/table/operations.ts";
import { WrongExpectedRevision } from "#infra/log/event-log.ts";
import { createPresence, type Presence } from "#infra/postgres/coordination.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { storeCredentials } from "#infra/vault/credentials.ts";
import { newPersonalKey } from "#infra/vault/personal-data.ts";
import type { Command } from "#services/context.ts";
import { otherChange } from "#services/domain/catalogues/catalogue.ts";
import { createReservations, type Reservations, requestHash } from "#services/gateway/once.ts";
import { REPLAYED, takesIdempotencyKey } from "#services/headers.ts";
import {
  administrator,
  newAccount,
  PASSWORD,
  type TestAccount,
} from "../../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import {
  catalogueForm,
  countNamed,
  createKeyed as create,
  keyed,
} from "../../support/api/keyed.ts";
import { countLogRows } from "../../support/api/log-rows.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { type ApiAnswer, type ApiClient, createApiClient } from "../../support/api-client.ts";
import { BARE_SECRET, buildBareApp } from "../../support/bare-app.ts";
import { useDatabase } from "../../support/database.ts";
import { withClient } from "../../support/database-template.ts";
import { runs } from "../../support/runs.ts";
import { sharedService, useService } from "../../support/service.ts";

const service = sharedService();

function expectReplay(answer: ApiAnswer, first: ApiAnswer): void {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: first.status,
    body: first.body,
  });
  expect(answer.headers.get("idempotency-replayed")).toBe("true");
  for (const name of ["etag", "location", "content-type"]) {
    expect(answer.headers.get(name)).toBe(first.headers.get(name));
  }
}

describe("a write with an Idempotency-Key", () => {
  test("a write with an Idempotency-Key is done once, whether it changes, adds or deletes", async () => {
    const editor = await service.loginAs("editor");
    for (const [method, path, body] of [
      ["PATCH", "", { name: "renamed by key" }],
      ["DELETE", "", undefined],
      ["POST", "/events", { events: [seismicEvent({ magnitude: 2 })] }],
    ] as const) {
      const { id } = await createCatalogue(editor);
      const headers = keyed();
      const send = () => editor.send(method, `/api/catalogues/${id}${path}`, body, headers);
      const first = await send();
      expect(first.status, method).toBe(200);
      const before = await countLogRows(service);
      expectReplay(await send(), first);
      expect(await countLogRows(service), method).toBe(before);
    }
  });

  test("a write with an Idempotency-Key gets a refusal again as it was, whatever has changed since", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor);
    const headers = { ...keyed(), "if-match": '"other"' };
    const rename = () => editor.send("PATCH", `/api/catalogues/${id}`, { name: "x" }, headers);
    const first = await rename();
    expectRefusal(first, "PRECONDITION_FAILED");
    expectReplay(await rename(), first);
  });

  test("a write with an Idempotency-Key is 409 with another body or path", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor);
    const headers = keyed();
    const rename = (catalogue: string, name: string) =>
      editor.send("PATCH", `/api/catalogues/${catalogue}`, { name }, headers);
    expect((await rename(id, "a")).status).toBe(200);
    expectRefusal(await rename(id, "b"), "CONFLICT", "Idempotency-Key");
    expectRefusal(await rename(randomUUID(), "a"), "CONFLICT", "Idempotency-Key");
  });

  test("a write with an Idempotency-Key has nothing to do with the same key of another user", async () => {
    const headers = keyed();
    const name = randomUUID();
    for (const role of ["editor", "admin"] as const) {
      const answer = await create(await service.loginAs(role), catalogueForm(name), headers);
      expect(answer.status).toBe(201);
      expect(answer.headers.has("idempotency-replayed")).toBe(false);
    }
    expect(await countNamed(createApiClient(service.url), name)).toBe(2);
  });

  test("a write with an Idempotency-Key is not replayed to who may not write any more", async () => {
    const { id, signIn } = await newAccount(service, "editor");
    const { client } = await signIn();
    const headers = keyed();
    expect((await create(client, catalogueForm(), headers)).status).toBe(201);
    const admin = await service.loginAs("admin");
    await admin.send("PATCH", `/api/users/${id}`, { role: "viewer" });
    expectRefusal(await create(client, catalogueForm(), headers), "FORBIDDEN");
  });

  test("a write with an Idempotency-Key takes 1 to 255 visible ASCII characters; with another it is 400, and nothing is written", async () => {
    const editor = await service.loginAs("editor");
    const before = await countLogRows(service);
    for (const key of ["", "x".repeat(256), "a b", "\u00e9"]) {
      const answer = await create(editor, catalogueForm(), keyed(key));
      expectRefusal(answer, "VALIDATION_ERROR", "Idempotency-Key");
    }
    expect(await countLogRows(service)).toBe(before);
    const headers = keyed(`!~${"x".repeat(253)}`);
    const first = await create(editor, catalogueForm(), headers);
    expectReplay(await create(editor, catalogueForm(), headers), first);
  });

  test("a write with an Idempotency-Key is done anew after 24 hours, and older keys are forgotten then", async () => {
    const editor = await service.loginAs("editor");
    const headers = keyed();
    const first = await create(editor, catalogueForm(), headers);
    await age(headers["idempotency-key"], "23 hours 59 minutes");
    expectReplay(await create(editor, catalogueForm(), headers), first);
    await age(headers["idempotency-key"], "24 hours 1 second");
    const second = await create(editor, catalogueForm("other body"), headers);
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
  });

  test("a write with an Idempotency-Key keeps neither the password nor a hash of it that could be guessed", async () => {
    const { signIn } = await newAccount(service, "viewer");
    const { client } = await signIn();
    await client.send("POST", "/api/auth/logout", { password: PASSWORD }, keyed());
    const login = { email: "admin@example.org", password: "a long admin password" };
    const guest = createApiClient(service.url);
    const key = keyed();
    for (let i = 0; i < 2; i += 1) {
      const answer = await guest.send("POST", "/api/auth/login", login, key);
      expect(answer.status).toBe(200);
      expect(answer.headers.has("idempotency-replayed")).toBe(false);
    }
    const kept = await keptText();
    expect(kept).not.toContain(PASSWORD);
    expect(kept).not.toContain(login.password);
    expect(kept).not.toMatch(/eyJ[\w-]+\./);
  });
});

async function age(key: string, interval: string): Promise<void> {
  await withClient(service.databaseUrl, (db) =>
    db.query("update vault.idempotency_keys set created_at = now() - $2::interval where key = $1", [
      key,
      interval,
    ]),
  );
}

const copy = useService({ ROLES: "gateway" }, { copyOf: service });

test("requests with one key at once have one effect: one runs, the others are replayed or told to wait", async () => {
  const editor = await service.loginAs("editor");
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 12 }), fc.boolean(), async (count, repeat) => {
      const name = randomUUID();
      const headers = keyed();
      const send = () => create(editor, catalogueForm(name), headers);
      const answers = await Promise.all(Array.from({ length: count }, send));
      if (repeat) answers.push(await send());
      const done = answers.filter(({ status }) => status === 201);
      expect(new Set(done.map(({ body }) => body.id)).size).toBe(1);
      const replayed = done.filter(({ headers: h }) => h.has("idempotency-replayed"));
      expect(replayed).toHaveLength(done.length - 1);
      for (const answer of answers.filter((other) => !done.includes(other))) {
        expectRefusal(answer, "CONFLICT", "still running");
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      }
      expect(await countNamed(createApiClient(service.url), name)).toBe(1);
    }),
    { numRuns: runs(15) },
  );
});

test("requests with one key at once have one effect over several copies of the gateway", async () => {
  const name = randomUUID();
  const headers = keyed();
  const { token } = await (await newAccount(service, "editor")).signIn();
  const clients = [service.url, copy.url].map((url) => createApiClient(url, token));
  const answers = await Promise.all(
    [...clients, ...clients, ...clients].map((client) =>
      create(client, catalogueForm(name), headers),
    ),
  );
  for (const { status } of answers) expect([201, 409]).toContain(status);
  expect(await countNamed(createApiClient(service.url), name)).toBe(1);
  for (const client of clients) {
    expect((await create(client, catalogueForm(name), headers)).status).toBe(201);
  }
  expect(await countNamed(createApiClient(service.url), name)).toBe(1);
});

const NAME = "Unmistakable Name";
const JUSTIFICATION = "Unmistakable reasons of mine";
const NOTES = "Unmistakable notes of theirs";

let admin: ApiClient;
beforeAll(async () => {
  admin = await administrator(service);
});

/** Every kept answer as the table has it, as one text. */
function keptText(): Promise<string> {
  return withClient(service.databaseUrl, async (db) => {
    const { rows } = await db.query<{ row: string }>(
      "select k::text as row from vault.idempotency_keys k",
    );
    return rows.map(({ row }) => row).join("\n");
  });
}

/** Whether the answer to this key is kept. */
function isKept(key: string): Promise<boolean> {
  return withClient(service.databaseUrl, async (db) => {
    const text = "select from vault.idempotency_keys where key = $1 and status is not null";
    return (await db.query(text, [key])).rowCount === 1;
  });
}

/** The writes whose answers tell of a user, done by an administrator and by the user. */
async function writesAbout({ id, signIn }: TestAccount) {
  const { client } = await signIn();
  const sent: { key: string; replay: () => Promise<unknown> }[] = [];
  async function send(by: ApiClient, ...[method, path, body]: Parameters<ApiClient["send"]>) {
    const headers = keyed();
    const answer = await by.send<{ request: { id: string } }>(method, path, body, headers);
    expect(answer.status).toBeLessThan(300);
    const replay = async () => {
      const again = await by.send(method, path, body, headers);
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(again.status).toBe(answer.status);
      expect(again.body).toEqual(answer.body);
    };
    sent.push({ key: headers["idempotency-key"], replay });
    return answer.body;
  }
  await send(admin, "PATCH", `/api/users/${id}`, { name: NAME });
  const form = { requestedRole: "editor", justification: JUSTIFICATION };
  const { request } = await send(client, "POST", "/api/role-requests", form);
  const review = { status: "approved", adminNotes: NOTES };
  await send(admin, "PATCH", `/api/role-requests/${request.id}`, review);
  return sent;
}

describe("an answer that is kept for its Idempotency-Key", () => {
  test("an answer that is kept for its Idempotency-Key is replayed, and cannot be read in the database", async () => {
    const account = await newAccount(service, "viewer");
    for (const { replay } of await writesAbout(account)) await replay();
    const kept = await keptText();
    for (const secret of [account.email, NAME, JUSTIFICATION, NOTES, "justification"]) {
      expect(kept).not.toContain(secret);
    }
  });

  test("an answer that is kept for its Idempotency-Key goes with the user it is about, whoever got it; that of the deletion stays", async () => {
    const account = await newAccount(service, "viewer");
    const writes = await writesAbout(account);
    for (const { key } of writes) expect(await isKept(key)).toBe(true);
    const headers = keyed();
    const remove = () => admin.send("DELETE", `/api/users/${account.id}`, undefined, headers);
    const first = await remove();
    expect(first.status).toBe(200);
    for (const { key } of writes) expect(await isKept(key)).toBe(false);
    const again = await remove();
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
  });

  test("an answer that is kept for its Idempotency-Key goes with the user whom it made", async () => {
    const key = randomUUID();
    const form = { email: `${key}@example.org`, name: NAME };
    const made = await admin.send<{ user: { id: string } }>("POST", "/api/users", form, keyed(key));
    expect(made.status).toBe(201);
    expect(await isKept(key)).toBe(true);
    expect(await keptText()).not.toContain(form.email);
    await admin.send("DELETE", `/api/users/${made.body.user.id}`);
    expect(await isKept(key)).toBe(false);
  });

  test("an answer that is kept for its Idempotency-Key goes with the user who got it", async () => {
    const { id, signIn } = await newAccount(service, "editor");
    const key = randomUUID();
    const created = await create((await signIn()).client, catalogueForm(), keyed(key));
    expect(created.status).toBe(201);
    expect(await isKept(key)).toBe(true);
    await admin.send("DELETE", `/api/users/${id}`);
    expect(await isKept(key)).toBe(false);
  });
});

test("no other write that takes a key answers what tells of a person", () => {
  const telling = Object.values(operations)
    .filter((operation) => takesIdempotencyKey(operation))
    .filter(({ answer }) => /"(?:\w*email|user_name|justification)"/.test(json(answer)))
    .map(({ id }) => id);
  expect(telling.sort()).toEqual([
    "createUser",
    "reviewRoleRequest",
    "submitRoleRequest",
    "updateUser",
  ]);
});

function json(schema: ZodType): string {
  return JSON.stringify(schema.toJSONSchema({ io: "input", unrepresentable: "any" }));
}

describe("an answer or a key that something befalls", () => {
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
        deleteCatalogue: async ({ command }) => ({
          body: (await run(command)) as { success: true },
        }),
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

  test("a conflict with changes of others passes, so it is not kept and tells when to send again", async () => {
    for (const conflict of [otherChange(), new WrongExpectedRevision("catalogue-1", 1, 2)]) {
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
      await app?.close();
    }
  });

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
    expect(await reservations.reserve(owner, hash)).toMatchObject({
      outcome: "run",
      retried: true,
    });
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
});

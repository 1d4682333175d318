import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type { Client } from "pg";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { AuditEntry, ParkedSubject } from "#contracts/http/audit.ts";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { withClient } from "../../support/database-template.ts";
import { runs } from "../../support/runs.ts";
import { useService } from "../../support/service.ts";

const service = useService({ TRUST_PROXY: "true" });

type Page = { entries: AuditEntry[]; next: string | null };

async function page(query = ""): Promise<Page> {
  const admin = await service.loginAs("admin");
  const { status, body } = await admin.get<Page>(`/api/audit?${query}`);
  expect(status).toBe(200);
  return body;
}

/** All pages of a filter, walked to the end. */
async function walk(filter: string, limit = 1000): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (let after = ""; ; ) {
    const { entries: some, next } = await page(`${filter}&limit=${limit}${after}`);
    entries.push(...some);
    expect(some.length).toBeLessThanOrEqual(limit);
    if (next === null) return entries;
    after = `&after=${next}`;
  }
}

let catalogue: string;
let editor: string;
beforeAll(async () => {
  const account = await newAccount(service, "editor");
  editor = account.id;
  const { client } = await account.signIn();
  ({ id: catalogue } = await createCatalogue(client));
  await createCatalogue(client);
  const more = { events: [seismicEvent(), seismicEvent()] };
  await client.send("POST", `/api/catalogues/${catalogue}/events`, more);
  await client.send("PATCH", `/api/catalogues/${catalogue}`, { name: "Taupō", is_public: true });
});

test("the audit log says what happened to a catalogue, when and by whom", async () => {
  const entries = await walk(`catalogueId=${catalogue.toUpperCase()}`);
  expect(entries.map(({ type }) => type)).toEqual([
    "CatalogueCreated",
    "RevisionOpened",
    "SeismicEventsRecorded",
    "RevisionCommitted",
    "RevisionOpened",
    "SeismicEventsRecorded",
    "RevisionCommitted",
    "CatalogueRenamed",
    "VisibilityChanged",
  ]);
  for (const entry of entries) {
    expect(entry).toMatchObject({
      actor: editor,
      subject: `catalogue-${catalogue}`,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
    });
  }
  const summaries = entries.map(({ summary }) => summary);
  expect(summaries[4]).toBe("Version 2 begun (edit)");
  expect(summaries[5]).toMatch(/^Events recorded: 2 added, 0 updated, 0 removed, in \d+ bytes$/);
  expect(summaries[6]).toMatch(
    /^Version 2 committed \(edit\): 2 added, 0 updated, 0 removed, \d+ events$/,
  );
  expect(summaries.slice(7)).toEqual([
    'Catalogue renamed to "Taupō"',
    "Catalogue made public from version 2 on",
  ]);
});

test("the audit log pages of any size make up the whole log, in its order", async () => {
  const whole = await walk("");
  expect(whole.length).toBeGreaterThan(15);
  const positions = whole.map(({ position }) => position);
  expect(positions).toEqual([...new Set(positions)].sort());
  expect(await walk("", 4)).toEqual(whole);
  expect(await walk(`catalogueId=${catalogue}`, 2)).toEqual(
    whole.filter(({ subject }) => subject === `catalogue-${catalogue}`),
  );
});

/** All pages of a filter, newest first, walked to the end. */
async function walkBack(filter: string, limit = 1000): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (let before = ""; ; ) {
    const { entries: some, next } = await page(`order=desc&${filter}&limit=${limit}${before}`);
    entries.push(...some);
    expect(some.length).toBeLessThanOrEqual(limit);
    if (next === null) return entries;
    before = `&before=${next}`;
  }
}

test("the audit log newest first is the audit log backwards, in pages of any size", async () => {
  const whole = await walk("");
  expect(await walkBack("")).toEqual(whole.toReversed());
  expect(await walkBack("", 4)).toEqual(whole.toReversed());
  expect(await walkBack(`actor=${editor}`, 3)).toEqual(
    whole.filter(({ actor }) => actor === editor).toReversed(),
  );
});

test("the audit log gives what every filter together wants, either way", async () => {
  const whole = await walk("");
  const anyOf = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values));
  const filters = fc.record({
    after: anyOf(whole.map(({ position }) => position)),
    before: anyOf(whole.map(({ position }) => position)),
    subject: anyOf([...new Set(whole.map(({ subject }) => subject))]),
    catalogueId: anyOf([catalogue]),
    actor: anyOf([editor, "system", "nobody"]),
    type: anyOf([...new Set(whole.map(({ type }) => type))]),
    from: anyOf(whole.map(({ time }) => time)),
    to: anyOf(whole.map(({ time }) => time)),
  });
  await fc.assert(
    fc.asyncProperty(filters, fc.integer({ min: 1, max: 9 }), async (filter, limit) => {
      const { after, before, subject, catalogueId, actor, type, from, to } = filter;
      fc.pre(from === null || to === null || from <= to);
      fc.pre(after === null || before === null || after <= before);
      const expected = whole.filter(
        (entry) =>
          (after === null || entry.position > after) &&
          (before === null || entry.position < before) &&
          (subject === null || entry.subject === subject) &&
          (catalogueId === null || entry.subject === `catalogue-${catalogueId}`) &&
          (actor === null || entry.actor === actor) &&
          (type === null || entry.type === type) &&
          (from === null || entry.time >= from) &&
          (to === null || entry.time <= to),
      );
      const given = (...names: (keyof typeof filter)[]) =>
        names.flatMap((name) => (filter[name] === null ? [] : [`${name}=${filter[name]}`]));
      const rest = given("subject", "catalogueId", "actor", "type", "from", "to").join("&");
      const [start, end] = [given("after").join(), given("before").join()];
      expect(await page(`${rest}&${start}&${end}&limit=1000`)).toEqual({
        entries: expected,
        next: null,
      });
      const back = await page(`order=desc&${rest}&${start}&${end}&limit=${limit}`);
      expect(back.entries).toEqual(expected.toReversed().slice(0, limit));
      if (end === "")
        expect(await walkBack(`${rest}&${start}`, limit)).toEqual(expected.toReversed());
    }),
    { numRuns: runs(60) },
  );
});

test("the audit log names people by their ids alone", async () => {
  const { id, email, signIn } = await newAccount(service, "viewer");
  const { client } = await signIn();
  const asked = { requestedRole: "editor", justification: "Because of the Alpine Fault" };
  await client.send("POST", "/api/role-requests", asked);
  await client.send("POST", "/api/auth/forgot-password", { email });
  const admin = await service.loginAs("admin");
  await admin.send("PATCH", `/api/users/${id}`, { name: "Wiremu Unmistakable" });
  await admin.send("DELETE", `/api/users/${id}`);
  const typesAbout = async () =>
    (await walk("")).filter(({ subject }) => subject === `user-${id}`).map(({ type }) => type);
  // The last is appended behind what the answer has waited for.
  await expect
    .poll(typesAbout, { timeout: 60_000 })
    .toEqual(
      expect.arrayContaining([
        "EmailReserved",
        "UserRegistered",
        "RoleRequestSubmitted",
        "PasswordResetRequested",
        "UserRenamed",
        "UserDeleted",
        "EmailReleased",
      ]),
    );
  const text = JSON.stringify(await walk(""));
  for (const secret of [email, "Alpine Fault", "Unmistakable"]) expect(text).not.toContain(secret);
});

test("the audit log refuses what is beyond its bounds, and positions that there are not", async () => {
  const admin = await service.loginAs("admin");
  for (const [query, code, names] of [
    ["limit=0", "VALIDATION_ERROR", "limit"],
    ["limit=1001", "VALIDATION_ERROR", "limit"],
    ["after=yesterday", "VALIDATION_ERROR", "after"],
    ["after=", "VALIDATION_ERROR", "after"],
    ["after=00ff", "INVALID_CURSOR", undefined],
    [`after=${"f".repeat(32)}`, "INVALID_CURSOR", undefined],
    [`after=${"0".repeat(16)}${"f".repeat(16)}`, "INVALID_CURSOR", undefined],
    [`after=${"7".repeat(32)}`, "INVALID_CURSOR", undefined],
    ["before=yesterday", "VALIDATION_ERROR", "before"],
    ["order=desc&before=00ff", "INVALID_CURSOR", undefined],
    [`order=desc&before=${"0000000000000005".repeat(2)}`, "INVALID_CURSOR", undefined],
    [`before=${"7".repeat(32)}`, "INVALID_CURSOR", undefined],
    [`order=desc&after=${"7".repeat(32)}`, "INVALID_CURSOR", undefined],
    ["order=newest", "VALIDATION_ERROR", "order"],
    ["from=yesterday", "VALIDATION_ERROR", "from"],
    ["from=2024-01-02&to=2024-01-01", "VALIDATION_ERROR", "from"],
    ["page=2", "VALIDATION_ERROR", "page"],
    ["catalogueId=mine", "VALIDATION_ERROR", "catalogueId"],
    ["actor=%00", "VALIDATION_ERROR", "actor"],
  ] as const) {
    expectRefusal(await admin.get(`/api/audit?${query}`), code, names);
  }
});

test("the audit log shows an event that this version cannot read as such", async () => {
  const log = await service.log.open();
  const commandId = randomUUID();
  const at = new Date().toISOString();
  // Not of a stream's type that a projection reads further: users are not guarded.
  const metadata = { schemaVersion: 1, commandId, actor: "system", at };
  await log.append("email-of-nobody", -1, [
    { id: randomUUID(), type: "EmailReserved", data: { emailHmac: 7 }, metadata },
  ]);
  await log.close();
  expect((await walk("type=EmailReserved")).at(-1)).toMatchObject({
    subject: "email-of-nobody",
    summary: "An event that this version of the service cannot read",
  });
});

test("an audit between two positions in the wrong order, or of nothing named, is refused by name", async () => {
  const admin = await service.loginAs("admin");
  const { body } = await admin.get<{ entries: { position: string }[] }>("/api/audit?limit=2");
  const [first, second] = body.entries.map(({ position }) => position);
  const inOrder = await admin.get(`/api/audit?after=${first}&before=${second}`);
  expect(inOrder.status).toBe(200);
  expectRefusal(
    await admin.get(`/api/audit?after=${second}&before=${first}`),
    "VALIDATION_ERROR",
    "after",
  );
  for (const name of ["subject", "actor", "type"]) {
    expectRefusal(await admin.get(`/api/audit?${name}=`), "VALIDATION_ERROR", name);
  }
});

describe("events that no projection can apply:", () => {
  const admin = () => service.loginAs("admin");

  const execute = (statement: string) =>
    withClient(service.databaseUrl, (client) => client.query(statement));

  /** A fault of the read model: one event has no place in it until it is repaired. */
  const breakReadModel = () =>
    execute(`alter table read_model.seismic_events
      add constraint no_poison check (source_id <> 'poison') not valid`);
  const repairReadModel = () =>
    execute("alter table read_model.seismic_events drop constraint if exists no_poison");
  afterEach(async () => void (await repairReadModel()));

  async function parked(): Promise<ParkedSubject[]> {
    const { status, body } = await (await admin()).get<{ parked: ParkedSubject[] }>(
      "/api/parked-events",
    );
    expect(status).toBe(200);
    return body.parked;
  }

  const retry = async (id: string) =>
    (await admin()).send<{ applied: number }>("POST", `/api/parked-events/${id}/retry`);

  /** A catalogue that stands still at its second version. */
  async function parkedCatalogue(): Promise<string> {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor);
    await breakReadModel();
    const events = [seismicEvent({ source_id: "poison" })];
    await editor.send("POST", `/api/catalogues/${id}/events`, { events });
    return id;
  }

  test("the list of parked events shows what stands still and why, also in readiness, and applies it when the fault is gone", async () => {
    expect(await parked()).toEqual([]);
    const catalogue = await parkedCatalogue();
    const [entry, ...others] = await parked();
    expect(others).toEqual([]);
    expect(entry).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      projection: "catalogues",
      subject: catalogue,
      stream: `catalogue-${catalogue}-revision-2`,
      revision: 0,
      type: "SeismicEventsRecorded",
      error: expect.stringContaining("no_poison"),
      waiting: 1,
      parked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
    });
    const { body } = await createApiClient(service.url).get<ReadinessReport>("/api/ready");
    expect(body.checks.find(({ name }) => name === "projections")?.message).toContain(
      "2 events parked",
    );
    const refusal = expectRefusal(await retry(entry?.id ?? ""), "CONFLICT");
    expect(refusal.error).toContain("still cannot be brought up to date");
    expect(await parked()).toEqual([entry]);
    await repairReadModel();
    expect(await retry(entry?.id ?? "")).toMatchObject({ status: 200, body: { applied: 2 } });
    expect(await parked()).toEqual([]);
    const answer = await (await admin()).get(`/api/catalogues/${catalogue}`);
    expect(answer.body).toMatchObject({ status: "active", version: 2 });
    expectRefusal(await retry(entry?.id ?? ""), "NOT_FOUND");
  });

  test("the list of parked events lists and retries while exports hold all of their places", async () => {
    const { id } = await createCatalogue(await service.loginAs("editor"));
    const readers = await Promise.all(
      Array.from({ length: 12 }, () => newAccount(service, "viewer")),
    );
    const sessions = await Promise.all(readers.map((reader) => reader.signIn()));
    await withClient(service.databaseUrl, async (client) => {
      await client.query("begin; lock table read_model.seismic_events in access exclusive mode");
      // No network has all of the places.
      const exports = sessions.map(({ client: reader }, i) =>
        reader.get(`/api/catalogues/${id}/export`, { "x-forwarded-for": `192.0.2.${i}` }),
      );
      await expect.poll(() => waitingForEvents(client)).toBe(12);
      expect(await parked()).toEqual([]);
      expectRefusal(await retry(id), "NOT_FOUND");
      await client.query("rollback");
      expect((await Promise.all(exports)).map(({ status }) => status)).toEqual(Array(12).fill(200));
    });
  });

  /** Connections that wait for the table. */
  async function waitingForEvents(client: Client): Promise<number> {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from pg_locks
       where relation = 'read_model.seismic_events'::regclass and not granted`,
    );
    return rows[0]?.count ?? 0;
  }

  test.each(["6a1c0b1e-5f0e-4d0c-8a57-0d6e7b6f2a11", "no-id", "%00"])(
    "the list of parked events answers 404 for %s",
    async (id) => {
      expectRefusal(await retry(id), "NOT_FOUND");
    },
  );
});

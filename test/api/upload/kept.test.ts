import fc from "fast-check";
import { expect, test } from "vitest";
import type { UploadResult } from "#contracts/http/upload.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { withClient } from "../../support/database-template.ts";
import { runs } from "../../support/runs.ts";
import { useService } from "../../support/service.ts";
import { newAccount } from "../support/accounts.ts";
import { type CreatedCatalogue, createCatalogue } from "../support/catalogue.ts";
import { fileForm } from "../support/file-form.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = useService({ MAX_EVENTS_PER_REQUEST: "20000" });

const HEAD = "time,latitude,longitude,magnitude,depth,note\n";

function csv(rows: number): string {
  const lines = Array.from({ length: rows }, (_, i) => {
    const time = new Date(Date.UTC(2020, 0, 1) + i * 1000).toISOString();
    return `${time},${(i % 170) - 85},${i % 180},${(i % 70) / 10},${i % 600},row ${i}`;
  });
  return `${HEAD}${lines.join("\n")}\n`;
}

async function keep(client: ApiClient, content: string) {
  const answer = await client.send<UploadResult>(
    "POST",
    "/api/upload?keep=true",
    fileForm(content),
  );
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  const { uploadId = "" } = answer.body;
  return { ...answer.body, uploadId };
}

async function parse(client: ApiClient, content: string): Promise<UploadResult> {
  return (await client.send<UploadResult>("POST", "/api/upload", fileForm(content))).body;
}

const create = (client: ApiClient, body: Readonly<Record<string, unknown>>) =>
  client.send<CreatedCatalogue>("POST", "/api/catalogues", { name: "uploaded", ...body });

/** All events of a catalogue without our ids, in the order of time. */
async function eventsOf(client: ApiClient, id: string) {
  const { body } = await client.get<{ events: SeismicEvent[] }>(
    `/api/catalogues/${id}/export?format=json&orderBy=time-asc`,
  );
  return body.events.map(({ id: _, ...event }) => event);
}

test("a kept upload answers its first 100 rows, all counts, and an id", async () => {
  const client = await service.loginAs("editor");
  for (const rows of [1, 99, 100, 101, 12_000]) {
    const { uploadId, ...kept } = await keep(client, csv(rows));
    const { data, ...whole } = await parse(client, csv(rows));
    expect(kept).toEqual({ ...whole, data: data.slice(0, 100) });
    expect(kept.rowCount).toBe(rows);
    expect(uploadId).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test("an upload tells in how many rows each column holds nothing, also beyond the first 100", async () => {
  const client = await service.loginAs("editor");
  const cell = fc.constantFrom("", " ", "1.5", "x");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 300 }),
      async (rows) => {
        const lines = rows.map(([size, note]) => `2020-01-01T00:00:00Z,1,2,${size},${note}`);
        const content = `time,latitude,longitude,size,note\n${lines.join("\n")}\n`;
        const { emptyCounts } = await keep(client, content);
        const empty = (column: 0 | 1) => rows.filter((row) => row[column].trim() === "").length;
        expect(Object.entries(emptyCounts)).toEqual([
          ["time", 0],
          ["latitude", 0],
          ["longitude", 0],
          ["size", empty(0)],
          ["note", empty(1)],
        ]);
      },
    ),
    { numRuns: runs(20) },
  );
});

test("columns that some events lack are empty there", async () => {
  const client = await service.loginAs("editor");
  const event = { time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 };
  const content = JSON.stringify([{ ...event, depth: null }, { ...event, magnitude: 3 }, event]);
  const { body } = await client.send<UploadResult>(
    "POST",
    "/api/upload",
    fileForm(content, { fileName: "events.json" }),
  );
  expect(body.emptyCounts).toMatchObject({ time: 0, magnitude: 2, depth: 3 });
});

test("a catalogue of a kept upload is that of the same rows as events", async () => {
  const client = await service.loginAs("editor");
  const content = `${csv(12_000)}2020-01-01,95,0,1,,beyond the pole\n`;
  const { uploadId } = await keep(client, content);
  const made = await create(client, { uploadId });
  expect(made.status).toBe(201);
  const { data } = await parse(client, content);
  const sent = await create(client, { events: data });
  expect(made.body.validationReport).toEqual(sent.body.validationReport);
  expect(made.body.validationReport).toMatchObject({ totalSubmitted: 12_001, failedValidation: 1 });
  expect(await eventsOf(client, made.body.id)).toEqual(await eventsOf(client, sent.body.id));
});

test("a kept upload can be added to a catalogue, more than once", async () => {
  const client = await service.loginAs("editor");
  const { id } = await createCatalogue(client, { events: [] });
  const { uploadId } = await keep(
    client,
    `id,${HEAD}a,2020-01-01,1,2,3,4,x\nb,2020-01-02,1,2,3,4,y\n`,
  );
  const path = `/api/catalogues/${id}/events`;
  const first = await client.send("POST", path, { uploadId });
  expect(first.body).toMatchObject({ newEvents: 2, skippedEvents: 0 });
  const columns = { depth: null };
  const again = await client.send("POST", path, { uploadId, columns, updateExisting: true });
  expect(again.body).toMatchObject({ newEvents: 0, updatedEvents: 2 });
  expect((await eventsOf(client, id)).map(({ depth }) => depth)).toEqual([null, null]);
});

test("columns of a kept upload are what they are said to be", async () => {
  const client = await service.loginAs("editor");
  const content = "when,north,east,size,depth,km\n2020-01-01T00:00:00Z,1,2,3.5,7000,7\n";
  const { uploadId } = await keep(client, content);
  const columns = {
    when: "time",
    north: "latitude",
    east: "longitude",
    size: "magnitude",
    depth: null,
    km: "depth",
  };
  const { body } = await create(client, { uploadId, columns });
  expect(await eventsOf(client, body.id)).toMatchObject([
    {
      time: "2020-01-01T00:00:00Z",
      latitude: 1,
      longitude: 2,
      magnitude: 3.5,
      depth: 7,
      extra: null,
    },
  ]);
  const unknown = await create(client, { uploadId, columns: { ...columns, size: null } });
  expect(await eventsOf(client, unknown.body.id)).toMatchObject([{ magnitude: null }]);
});

test.each([
  [{ height: "depth" }, "columns.height"],
  [{ note: "altitude" }, "columns.note"],
  [{ note: "depth" }, "columns.note"],
  [{ note: "region", time: "region" }, "columns.time"],
  [{ note: 5 }, "columns.note"],
])("columns %j are refused by name", async (columns, field) => {
  const client = await service.loginAs("editor");
  const { uploadId } = await keep(client, csv(1));
  const answer = await create(client, { uploadId, columns });
  expectRefusal(answer, "VALIDATION_ERROR");
  expect(answer.body).toMatchObject({ details: [{ field }] });
});

test("a kept upload is its owner's alone, and ends after a day", async () => {
  const client = await service.loginAs("editor");
  const { uploadId } = await keep(client, csv(3));
  const other = await (await newAccount(service, "editor")).signIn();
  const { id } = await createCatalogue(client, { events: [] });
  const path = `/api/catalogues/${id}/events`;
  expectRefusal(await other.client.send("POST", path, { uploadId }), "NOT_FOUND");
  expectRefusal(await create(other.client, { uploadId }), "NOT_FOUND");
  expectRefusal(await create(client, { uploadId: crypto.randomUUID() }), "NOT_FOUND");
  expect((await create(client, { uploadId })).status).toBe(201);
  await withClient(service.databaseUrl, (database) =>
    database.query(
      "update operations.kept_uploads set created_at = now() - interval '25 hours' where id = $1",
      [uploadId],
    ),
  );
  expectRefusal(await create(client, { uploadId }), "NOT_FOUND");
});

test("a user keeps as many uploads as come, and when that is too much the next is refused until one expires", async () => {
  const { client } = await (await newAccount(service, "editor")).signIn();
  const ids: string[] = [];
  for (let i = 0; i < 6; i += 1) ids.push((await keep(client, csv(1))).uploadId);
  for (const uploadId of ids) expect((await create(client, { uploadId })).status).toBe(201);
  await withClient(service.databaseUrl, (database) =>
    database.query("update operations.kept_uploads set bytes = 1073741824 where id = $1", [ids[3]]),
  );
  const answer = await client.send("POST", "/api/upload?keep=true", fileForm(csv(1)));
  expectRefusal(answer, "RATE_LIMIT_EXCEEDED", "uploads");
  const wait = Number(answer.headers.get("retry-after"));
  expect(wait).toBeGreaterThan(86_000);
  expect(wait).toBeLessThanOrEqual(86_400);
  expect((await client.send("POST", "/api/upload", fileForm(csv(1)))).status).toBe(200);
  for (const uploadId of ids) expect((await create(client, { uploadId })).status).toBe(201);
});

test("a kept upload outlives a crash of the database: its tables are logged", async () => {
  const { rows } = await withClient(service.databaseUrl, (database) =>
    database.query<{ relpersistence: string }>(
      "select relpersistence from pg_class where relname like 'kept_upload%' and relkind = 'r'",
    ),
  );
  expect(rows.map(({ relpersistence }) => relpersistence)).toEqual(["p", "p"]);
});

test("the same file under the same key is kept once, another is a conflict", async () => {
  const { client } = await (await newAccount(service, "editor")).signIn();
  const upload = (rows: number, key: string, fields = {}) =>
    client.send<UploadResult>("POST", "/api/upload?keep=true", fileForm(csv(rows), { fields }), {
      "idempotency-key": key,
    });
  const [first, meanwhile] = await Promise.all([upload(3, "a"), upload(3, "a")]);
  const again = await upload(3, "a");
  expect(meanwhile.body).toEqual(first.body);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expectRefusal(await upload(4, "a"), "CONFLICT", "Idempotency-Key");
  expectRefusal(await upload(3, "a", { delimiter: "comma" }), "CONFLICT");
  expect((await upload(3, "b")).body.uploadId).not.toBe(first.body.uploadId);
  expectRefusal(await upload(3, "not a key"), "VALIDATION_ERROR", "Idempotency-Key");
  const session = await client.get<{ user: { id: string } }>("/api/auth/session");
  const kept = await withClient(service.databaseUrl, (database) =>
    database.query("select from operations.kept_uploads where owner = $1", [session.body.user.id]),
  );
  expect(kept.rowCount).toBe(2);
  expect((await create(client, { uploadId: first.body.uploadId })).status).toBe(201);
});

test("an upload stands instead of events, within the limit of a request, and keeps nothing that cannot be read", async () => {
  const client = await service.loginAs("editor");
  const { uploadId } = await keep(client, csv(20_001));
  expectRefusal(await create(client, { uploadId }), "TOO_MANY_EVENTS");
  expectRefusal(await create(client, { uploadId, events: [] }), "VALIDATION_ERROR", "uploadId");
  expectRefusal(await create(client, { uploadId: "x" }), "VALIDATION_ERROR", "uploadId");
  expectRefusal(
    await client.send("POST", "/api/upload?keep=yes", fileForm(csv(1))),
    "VALIDATION_ERROR",
  );
  expectRefusal(
    await client.send("POST", "/api/upload?kept=true", fileForm(csv(1))),
    "VALIDATION_ERROR",
  );
  const { client: own } = await (await newAccount(service, "editor")).signIn();
  const session = await own.get<{ user: { id: string } }>("/api/auth/session");
  expectRefusal(
    await own.send("POST", "/api/upload?keep=true", fileForm("a line of prose\n")),
    "PARSE_ERROR",
  );
  const kept = await withClient(service.databaseUrl, (database) =>
    database.query("select from operations.kept_uploads where owner = $1", [session.body.user.id]),
  );
  expect(kept.rowCount).toBe(0);
});

test("a kept upload of any texts makes what its rows make", async () => {
  const client = await service.loginAs("editor");
  const cell = fc
    .string({ unit: "grapheme", maxLength: 12 })
    .filter((text) => !/[\0\r\n]/.test(text));
  await fc.assert(
    fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 150 }), async (cells) => {
      const rows = cells.map((text, i) => {
        const time = new Date(Date.UTC(2021, 0, 1) + i * 1000).toISOString();
        return `${time},1,2,3,4,"${text.replaceAll('"', '""')}"`;
      });
      const content = `${HEAD}${rows.join("\n")}\n`;
      const { uploadId, data } = await keep(client, content);
      const whole = await parse(client, content);
      expect(data).toEqual(whole.data.slice(0, 100));
      const made = await create(client, { uploadId });
      const sent = await create(client, { events: whole.data });
      expect([made.status, await eventsOf(client, made.body.id)]).toEqual([
        201,
        await eventsOf(client, sent.body.id),
      ]);
    }),
    { numRuns: runs(8) },
  );
});

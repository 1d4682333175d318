import { describe, expect, test } from "vitest";
import type { Catalogue, CatalogueVersion, ValidationReport } from "#contracts/http/catalogues.ts";
import { useService } from "../support/service.ts";
import { type CreatedCatalogue, createCatalogue, seismicEvent } from "./support/catalogue.ts";
import { expectRefusal } from "./support/refusal.ts";

const service = useService();
const editor = () => service.loginAs("editor");

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const INVALID = { latitude: 91 };

async function submit(body: unknown) {
  return (await editor()).send<CreatedCatalogue>("POST", "/api/catalogues", body);
}

/** `valid` and then `invalid` events. */
function mixture(valid: number, invalid: number) {
  return [
    ...Array.from({ length: valid }, () => seismicEvent()),
    ...Array.from({ length: invalid }, () => seismicEvent(INVALID)),
  ];
}

describe("POST /api/catalogues", () => {
  test("answers 201 with every field of the catalogue and the report, and where it is", async () => {
    const answer = await submit({
      name: "Kaikōura",
      events: [
        seismicEvent(),
        seismicEvent({ time: "2016-11-14T00:34:22.5Z", latitude: -41.5, longitude: -179, magnitude: 6 }),
      ],
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`/api/catalogues/${answer.body.id}`);
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Kaikōura",
      created_at: timestamp,
      updated_at: timestamp,
      status: "active",
      event_count: 2,
      min_latitude: -42.69,
      max_latitude: -41.5,
      min_longitude: -179,
      max_longitude: 173.02,
      min_magnitude: 6,
      max_magnitude: 7.8,
      start_time: "2016-11-13T11:02:56.346Z",
      end_time: "2016-11-14T00:34:22.5Z",
      is_public: false,
      version: 1,
      created_by: expect.stringMatching(/^user_\d+_/),
      importMessage: "Imported 2 events",
      partialImport: false,
      validationReport: {
        totalSubmitted: 2,
        successfullyImported: 2,
        failedValidation: 0,
        successRate: 100,
        invalidEvents: [],
        hasMoreInvalidEvents: false,
      },
    });
  });

  test("imports the valid events and reports each of the others with place, id and faults", async () => {
    const { body } = await submit({
      name: "partial",
      events: [
        seismicEvent(),
        seismicEvent({ id: "bad-1", latitude: 91, magnitude: "strong" }),
        "no event",
      ],
    });
    expect(body).toMatchObject({ event_count: 1, partialImport: true, version: 1 });
    const { invalidEvents, ...counts } = body.validationReport;
    expect(counts).toEqual({
      totalSubmitted: 3,
      successfullyImported: 1,
      failedValidation: 2,
      successRate: 33.33,
      hasMoreInvalidEvents: false,
    });
    expect(invalidEvents).toEqual([
      {
        index: 1,
        id: "bad-1",
        reason: expect.stringContaining("latitude"),
        errors: [
          { field: "latitude", message: expect.stringMatching(/\S/) },
          { field: "magnitude", message: expect.stringMatching(/\S/) },
        ],
      },
      { index: 2, reason: expect.stringMatching(/\S/), errors: [expect.anything()] },
    ]);
  });

  test.each([
    [100, false],
    [101, true],
  ])("lists the first 100 of %i invalid events, and whether there are more: %s", async (invalid, more) => {
    const { body } = await submit({ name: "many", events: mixture(1, invalid) });
    const { invalidEvents, hasMoreInvalidEvents, failedValidation } = body.validationReport;
    expect(invalidEvents).toHaveLength(100);
    expect(hasMoreInvalidEvents).toBe(more);
    expect(failedValidation).toBe(invalid);
  });

  test.each([
    [1, 0, 100],
    [1, 1, 50],
    [2, 1, 66.66],
    [1, 7, 12.5],
  ])("says of %i valid and %i invalid events a rate of %d per cent", async (valid, invalid, rate) => {
    const { body } = await submit({ name: "rate", events: mixture(valid, invalid) });
    expect(body.validationReport.successRate).toBe(rate);
  });

  test("refuses a submission of invalid events alone, with each as a detail", async () => {
    const answer = await submit({ name: "bad", events: mixture(0, 2) });
    const { details = [] } = expectRefusal(answer, "ALL_EVENTS_INVALID");
    expect(details).toMatchObject([{ index: 0 }, { index: 1, reason: expect.any(String) }]);
  });

  test("takes an empty list of events: an empty catalogue without bounds", async () => {
    const { status, body } = await submit({ name: "empty", events: [] });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      event_count: 0,
      status: "active",
      min_latitude: null,
      max_longitude: null,
      min_magnitude: null,
      start_time: null,
      end_time: null,
      validationReport: { totalSubmitted: 0, successRate: 100 },
    });
  });

  test("finds the later of two events with one source id invalid", async () => {
    const events = ["a", "b", "a"].map((source_id) => seismicEvent({ source_id }));
    const { body } = await submit({ name: "duplicates", events });
    expect(body.event_count).toBe(2);
    expect(body.validationReport.invalidEvents).toMatchObject([
      { index: 2, id: "a", reason: expect.stringContaining("duplicate id") },
    ]);
  });

  test("makes a catalogue public when asked to", async () => {
    expect(await createCatalogue(await editor(), { is_public: true })).toMatchObject({
      is_public: true,
    });
  });
});

describe("the name of a catalogue", () => {
  const longest = "🜨".repeat(255);

  test.each([
    ["is trimmed", "  Alpine Fault \n", "Alpine Fault"],
    ["holds 255 characters, whatever their length in UTF-16", longest, longest],
    ["holds any script", "Ōtautahi 地震 землетрясение", "Ōtautahi 地震 землетрясение"],
  ])("%s", async (_title, given, kept) => {
    const created = await createCatalogue(await editor(), { name: given });
    expect(created.name).toBe(kept);
    const client = await editor();
    await client.send("PATCH", `/api/catalogues/${created.id}`, { name: "other" });
    await client.send("PATCH", `/api/catalogues/${created.id}`, { name: given });
    expect((await client.get(`/api/catalogues/${created.id}`)).body).toMatchObject({ name: kept });
  });

  test("need not be unique", async () => {
    const [a, b] = [await createCatalogue(await editor()), await createCatalogue(await editor())];
    expect(a.name).toBe(b.name);
    expect(a.id).not.toBe(b.id);
  });

  test.each([
    ["missing", undefined, "MISSING_NAME"],
    ["empty", "", "MISSING_NAME"],
    ["blank", " \t ", "MISSING_NAME"],
    ["longer than 255 characters", `${longest}x`, "NAME_TOO_LONG"],
    ["null", null, "VALIDATION_ERROR"],
    ["a number", 7, "VALIDATION_ERROR"],
    ["with NUL", "a\0b", "VALIDATION_ERROR"],
    ["with half a surrogate pair", "a\ud800b", "VALIDATION_ERROR"],
  ] as const)("is refused when it is %s", async (_title, name, code) => {
    expectRefusal(await submit({ name, events: [seismicEvent()] }), code, "name");
    const { id } = await createCatalogue(await editor());
    const renamed = await (await editor()).send("PATCH", `/api/catalogues/${id}`, { name });
    expectRefusal(renamed, code, "name");
  });
});

describe("GET /api/catalogues", () => {
  type List = { catalogues: Catalogue[]; total: number; page: number; pageSize: number };
  const list = async (query: string) =>
    (await (await service.loginAs("guest")).get<List>(`/api/catalogues?${query}`)).body;

  test("pages through the matching names, newest first", async () => {
    const names = ["one", "two", "three"].map((name) => `paging ${name}`);
    for (const name of names) await createCatalogue(await editor(), { name });
    const first = await list("search=paging&pageSize=2");
    expect(first).toMatchObject({ total: 3, page: 1, pageSize: 2 });
    expect(first.catalogues.map(({ name }) => name)).toEqual(["paging three", "paging two"]);
    const second = await list("search=paging&pageSize=2&page=2");
    expect(second).toMatchObject({ total: 3, page: 2, catalogues: [{ name: "paging one" }] });
    expect(await list("search=paging&page=1000000000")).toMatchObject({ total: 3, catalogues: [] });
  });

  test("shows the first 10 by default", async () => {
    for (let i = 0; i < 11; i += 1) await createCatalogue(await editor(), { events: [] });
    const { catalogues, page, pageSize } = await list("");
    expect({ shown: catalogues.length, page, pageSize }).toEqual({ shown: 10, page: 1, pageSize: 10 });
  });

  test.each([
    ["100%", ["is 100% sure"]],
    ["a_b", ["a_b"]],
    ["back\\slash", ["back\\slash"]],
    ["ŌTAUTAHI", ["ōtautahi"]],
    ["地震", ["地震"]],
    ["'; drop", []],
  ])("searches %j as it stands, without regard to case", async (search, found) => {
    for (const name of ["is 100% sure", "100 sure", "a_b", "axb", "back\\slash", "ōtautahi", "地震"]) {
      if ((await list(`search=${encodeURIComponent(name)}`)).total > 0) continue;
      await createCatalogue(await editor(), { name, events: [] });
    }
    const { catalogues } = await list(`search=${encodeURIComponent(search)}`);
    expect(catalogues.map(({ name }) => name)).toEqual(found);
  });

  test.each([
    "page=0", "page=-1", "page=1.5", "page=12abc", "page=", "page=1&page=2", "page=1000000001",
    "pageSize=0", "pageSize=101", "pageSize=NaN", "search=a&search=b", "search=%00",
  ])("refuses %s and names the parameter", async (query) => {
    const guest = await service.loginAs("guest");
    const [name] = query.split("=");
    expectRefusal(await guest.get(`/api/catalogues?${query}`), "VALIDATION_ERROR", name);
  });
});

describe("PATCH /api/catalogues/{id}", () => {
  test("changes the name, the visibility or both, and no version", async () => {
    const client = await editor();
    const { id } = await createCatalogue(client);
    for (const change of [{ name: "new" }, { is_public: true }, { name: "both", is_public: false }]) {
      const answer = await client.send("PATCH", `/api/catalogues/${id}`, change);
      expect(answer).toMatchObject({ status: 200, body: { success: true } });
      const { body } = await client.get(`/api/catalogues/${id}`);
      expect(body).toMatchObject({ ...change, version: 1, event_count: 1 });
    }
  });

  test.each([[{}], [{ status: "error" }]])("refuses %j as without a name", async (body) => {
    const client = await editor();
    const { id } = await createCatalogue(client);
    expectRefusal(await client.send("PATCH", `/api/catalogues/${id}`, body), "MISSING_NAME", "name");
  });
});

describe("DELETE /api/catalogues/{id}", () => {
  test("takes the catalogue and all its events away", async () => {
    const client = await editor();
    const { id } = await createCatalogue(client);
    const answer = await client.send("DELETE", `/api/catalogues/${id}`);
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    for (const path of ["", "/events", "/events/filtered", "/versions"]) {
      expectRefusal(await client.get(`/api/catalogues/${id}${path}`), "NOT_FOUND");
    }
    expectRefusal(await client.send("DELETE", `/api/catalogues/${id}`), "NOT_FOUND");
  });
});

test.each([UNKNOWN_ID, "no-uuid", "%00", "..%2f..", "1".repeat(201)])(
  "answers 404 for the catalogue %s",
  async (id) => {
    const client = await editor();
    expectRefusal(await client.get(`/api/catalogues/${id}`), "NOT_FOUND");
    const renamed = await client.send("PATCH", `/api/catalogues/${id}`, { name: "x" });
    expectRefusal(renamed, "NOT_FOUND");
    expectRefusal(await client.send("DELETE", `/api/catalogues/${id}`), "NOT_FOUND");
  },
);

describe("the entity tag of a catalogue", () => {
  test("changes with name, visibility and events, and answers 304 to who has seen it", async () => {
    const client = await editor();
    const { id } = await createCatalogue(client);
    const path = `/api/catalogues/${id}`;
    const changes = [
      () => client.send("PATCH", path, { name: "renamed" }),
      () => client.send("PATCH", path, { is_public: true }),
      () => client.send("POST", `${path}/events`, { events: [seismicEvent()] }),
    ];
    for (const change of changes) {
      const tag = (await client.get(path)).headers.get("etag") ?? "";
      const unchanged = await client.get(path, { "if-none-match": `"other", W/${tag}` });
      expect(unchanged).toMatchObject({ status: 304, body: "" });
      expect(unchanged.headers.get("etag")).toBe(tag);
      await change();
      expect((await client.get(path, { "if-none-match": tag })).status).toBe(200);
    }
  });

  test.each(["PATCH", "DELETE"] as const)("guards %s by If-Match", async (method) => {
    const client = await editor();
    const { id } = await createCatalogue(client);
    const path = `/api/catalogues/${id}`;
    const change = (ifMatch: string) => client.send(method, path, { name: "new" }, { "if-match": ifMatch });
    const tag = (await client.get(path)).headers.get("etag") ?? "";
    expectRefusal(await change('"1-000000000000"'), "PRECONDITION_FAILED");
    expectRefusal(await change("not a tag"), "PRECONDITION_FAILED");
    expect((await client.get(path)).headers.get("etag")).toBe(tag);
    expect((await change(`"other", ${tag}`)).status).toBe(200);
  });

  test("matches any state as *", async () => {
    const client = await editor();
    const { id } = await createCatalogue(client);
    const any = { "if-match": "*" };
    expect((await client.send("PATCH", `/api/catalogues/${id}`, { name: "x" }, any)).status).toBe(200);
  });
});

test("GET /api/catalogues/{id}/versions tells each version's cause, actor and counts, newest first", async () => {
  const client = await editor();
  const { id, created_by: actor } = await createCatalogue(client, {
    events: [seismicEvent({ id: "a" }), seismicEvent({ id: "b" })],
  });
  const path = `/api/catalogues/${id}`;
  const events = [seismicEvent({ id: "a", magnitude: 6 }), seismicEvent({ id: "c" })];
  await client.send("POST", `${path}/events`, { events, updateExisting: true });
  await client.send("PATCH", path, { name: "makes no version" });
  const { body, headers } = await client.get<{ versions: CatalogueVersion[] }>(`${path}/versions`);
  const created_at = expect.stringMatching(/Z$/);
  expect(body.versions).toEqual([
    { version: 2, created_at, cause: "edit", actor, added: 1, updated: 1, removed: 0 },
    { version: 1, created_at, cause: "created", actor, added: 2, updated: 0, removed: 0 },
  ]);
  expect(headers.get("etag")).toBe('"2"');
  expectRefusal(await client.get(`${path}/versions?page=1`), "VALIDATION_ERROR", "page");
});

test("a report says 100 per cent only when nothing failed", async () => {
  const events = mixture(20_001, 1);
  const { body } = await submit({ name: "nearly all", events });
  const { successRate }: ValidationReport = body.validationReport;
  expect(successRate).toBe(99.99);
});

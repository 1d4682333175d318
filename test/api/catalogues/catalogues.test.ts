import { describe, expect, test, vi } from "vitest";
import type { Catalogue, CatalogueVersion } from "#contracts/http/catalogues.ts";
import {
  type CreatedCatalogue,
  createCatalogue,
  seismicEvent,
} from "../../support/api/catalogue.ts";
import { fileForm } from "../../support/api/file-form.ts";
import { whileProcessing } from "../../support/api/open-revision.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { withClient } from "../../support/database-template.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = service.client("editor");
const guest = service.client("guest");
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const LONGEST = "🜨".repeat(255);

const submit = (body: unknown) => editor.send<CreatedCatalogue>("POST", "/api/catalogues", body);
const pathOf = async (form = {}) => `/api/catalogues/${(await createCatalogue(editor, form)).id}`;
const read = async (path: string, client = editor) => (await client.get<Catalogue>(path)).body;

function mixture(valid: number, invalid: number) {
  return [
    ...Array.from({ length: valid }, () => seismicEvent()),
    ...Array.from({ length: invalid }, () => seismicEvent({ latitude: 91 })),
  ];
}

describe("POST /api/catalogues", () => {
  test("answers 201 with every field of the catalogue and the report, and where it is", async () => {
    const second = {
      time: "2016-11-14T00:34:22.5Z",
      latitude: -41.5,
      longitude: -179,
      magnitude: 6,
    };
    const events = [seismicEvent(), seismicEvent(second)];
    const answer = await submit({ name: "Kaikōura", events });
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
      bbox: [173.02, -42.69, -179, -41.5],
      access: "internal",
      editing: "all",
      parts: false,
      min_magnitude: 6,
      max_magnitude: 7.8,
      start_time: "2016-11-13T11:02:56.346Z",
      end_time: "2016-11-14T00:34:22.5Z",
      is_public: false,
      public_from: null,
      version: 1,
      created_by: expect.stringMatching(/^user_\d+_/),
      metadata: null,
      merge_config: null,
      source_catalogues: null,
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
    const open = await createCatalogue(editor, { is_public: true, events: [] });
    expect(open).toMatchObject({
      ...{ is_public: true, event_count: 0, status: "active", min_latitude: null },
      ...{ max_longitude: null, min_magnitude: null, start_time: null, end_time: null },
      validationReport: { totalSubmitted: 0, successRate: 100 },
    });
  });

  test("imports the valid events and reports each of the others with place, id and faults", async () => {
    const { magnitude: _, ...without } = seismicEvent();
    const submitted = [
      seismicEvent({ source_id: "a", magnitude: null }),
      seismicEvent({ id: "bad-1", latitude: 91, magnitude: "strong" }),
      "no event",
      without,
      seismicEvent({ source_id: "a" }),
    ];
    const { body } = await submit({ name: "partial", events: submitted });
    expect(body).toMatchObject({
      ...{ event_count: 1, partialImport: true, version: 1 },
      ...{ min_magnitude: null, max_magnitude: null, min_latitude: -42.69 },
    });
    const some = expect.stringMatching(/\S/);
    expect(body.validationReport).toEqual({
      totalSubmitted: 5,
      successfullyImported: 1,
      failedValidation: 4,
      successRate: 20,
      hasMoreInvalidEvents: false,
      invalidEvents: [
        {
          index: 1,
          id: "bad-1",
          reason: expect.stringContaining("latitude"),
          errors: [
            { field: "latitude", message: some },
            { field: "magnitude", message: some },
          ],
        },
        { index: 2, reason: some, errors: [expect.anything()] },
        { index: 3, reason: "magnitude is required", errors: [expect.anything()] },
        {
          ...{ index: 4, id: "a", reason: expect.stringContaining("duplicate id") },
          errors: [expect.anything()],
        },
      ],
    });
    const answer = await submit({ name: "bad", events: mixture(0, 2) });
    const { details = [] } = expectRefusal(answer, "ALL_EVENTS_INVALID");
    expect(details).toMatchObject([{ index: 0 }, { index: 1, reason: expect.any(String) }]);
    expectRefusal(await submit({ name: "x" }), "VALIDATION_ERROR", "uploadId");
  });

  test("lists the first 100 invalid events, and says 100 per cent only when nothing failed", async () => {
    for (const [valid, invalid, rate, more] of [
      [1, 100, 0.99, false],
      [1, 101, 0.98, true],
      [2, 1, 66.66, false],
      [1, 7, 12.5, false],
    ] as const) {
      const { body } = await submit({ name: "rate", events: mixture(valid, invalid) });
      const { invalidEvents, successRate, ...report } = body.validationReport;
      expect(report).toMatchObject({ failedValidation: invalid, hasMoreInvalidEvents: more });
      expect([invalidEvents.length, successRate]).toEqual([Math.min(invalid, 100), rate]);
    }
  });
});

describe("PATCH and DELETE /api/catalogues/{id}", () => {
  test("change the name, the visibility or both without a version, guarded by the entity tag, and take it away", async () => {
    const path = await pathOf();
    const tagOf = async () => (await editor.get(path)).headers.get("etag") ?? "";
    const changes: readonly (readonly ["PATCH" | "POST", string, object])[] = [
      ["PATCH", path, { name: "new" }],
      ["PATCH", path, { is_public: true }],
      ["PATCH", path, { name: "both", is_public: false }],
      ["POST", `${path}/events`, { events: [seismicEvent()] }],
    ];
    for (const [method, to, body] of changes) {
      const tag = await tagOf();
      const unchanged = await editor.get(path, { "if-none-match": `"other", W/${tag}` });
      expect(unchanged).toMatchObject({ status: 304, body: "" });
      expect(unchanged.headers.get("etag")).toBe(tag);
      expect((await editor.send(method, to, body)).status).toBe(200);
      expect((await editor.get(path, { "if-none-match": tag })).status).toBe(200);
      if (method === "PATCH") expect(await read(path)).toMatchObject({ ...body, version: 1 });
    }
    for (const body of [{}, { status: "error" }]) {
      expectRefusal(await editor.send("PATCH", path, body), "MISSING_NAME", "name");
    }
    for (const method of ["PATCH", "DELETE"] as const) {
      const tag = await tagOf();
      const change = (ifMatch: string) =>
        editor.send(method, path, { name: "guarded" }, { "if-match": ifMatch });
      expectRefusal(await change('"1-000000000000"'), "PRECONDITION_FAILED");
      expectRefusal(await change("not a tag"), "PRECONDITION_FAILED");
      expect(await tagOf()).toBe(tag);
      if (method === "PATCH") expect((await change("*")).status).toBe(200);
      expect(await change(`"other", ${await tagOf()}`)).toMatchObject({
        status: 200,
        body: { success: true },
      });
    }
    for (const below of ["", "/events", "/events/filtered", "/versions"]) {
      expectRefusal(await editor.get(`${path}${below}`), "NOT_FOUND");
    }
    expectRefusal(await editor.send("DELETE", path), "NOT_FOUND");
  });

  test("answer 404 for a catalogue that is unknown", async () => {
    for (const id of [UNKNOWN_ID, "no-uuid", "%00", "..%2f..", "1".repeat(201)]) {
      const path = `/api/catalogues/${id}`;
      expectRefusal(await editor.get(path), "NOT_FOUND");
      expectRefusal(await editor.send("PATCH", path, { name: "x" }), "NOT_FOUND");
      expectRefusal(await editor.send("DELETE", path), "NOT_FOUND");
    }
  });
});

test("GET /api/catalogues/{id}/versions tells each version's cause, actor and counts, newest first", async () => {
  const { id, created_by: actor } = await createCatalogue(editor, {
    events: [seismicEvent({ id: "a" }), seismicEvent({ id: "b" })],
  });
  const path = `/api/catalogues/${id}`;
  const events = [seismicEvent({ id: "a", magnitude: 6 }), seismicEvent({ id: "c" })];
  await editor.send("POST", `${path}/events`, { events, updateExisting: true });
  await editor.send("PATCH", path, { name: "makes no version" });
  const { body, headers } = await editor.get<{ versions: CatalogueVersion[] }>(`${path}/versions`);
  const created_at = expect.stringMatching(/Z$/);
  expect(body.versions).toEqual([
    { version: 2, created_at, cause: "edit", actor, added: 1, updated: 1, removed: 0 },
    { version: 1, created_at, cause: "created", actor, added: 2, updated: 0, removed: 0 },
  ]);
  expect(headers.get("etag")).toBe('"2"');
  expectRefusal(await editor.get(`${path}/versions?page=1`), "VALIDATION_ERROR", "page");
});

describe("GET /api/catalogues", () => {
  type List = { catalogues: Catalogue[]; total: number; page: number; pageSize: number };
  const list = async (query: string) => (await guest.get<List>(`/api/catalogues?${query}`)).body;

  test("pages through the matching names, newest first, 10 by default", async () => {
    const names = Array.from({ length: 11 }, (_, i) => `paging ${i}`);
    for (const name of names) await createCatalogue(editor, { name, events: [] });
    const shown = async (query: string) => {
      const { catalogues, ...rest } = await list(`search=paging${query}`);
      return [catalogues.map(({ name }) => name), rest];
    };
    const newest = names.toReversed();
    const first = { total: 11, page: 1, pageSize: 10 };
    expect(await shown("")).toEqual([newest.slice(0, 10), first]);
    const third = { total: 11, page: 3, pageSize: 2 };
    expect(await shown("&pageSize=2&page=3")).toEqual([newest.slice(4, 6), third]);
    const beyond = { total: 11, page: 1_000_000_000, pageSize: 10 };
    expect(await shown("&page=1000000000")).toEqual([[], beyond]);
    for (const query of [
      ...["page=0", "page=-1", "page=1.5", "page=12abc", "page=", "page=1&page=2"],
      ...["page=1000000001", "pageSize=0", "pageSize=101", "pageSize=NaN", "search=a&search=b"],
      ...["search=%00", "status=gone", "status=", "status=active,"],
    ]) {
      const answer = await guest.get(`/api/catalogues?${query}`);
      expectRefusal(answer, "VALIDATION_ERROR", query.split("=")[0]);
    }
  });

  test("searches names as they stand, without regard to case and accents", async () => {
    const kaikoura = ["sought: Kaiko\u0304ura", "sought: Kaik\u014dura"];
    const names = ["100% sure", "100 sure", "a_b", "axb", "back\\slash", "ōtautahi", "地震"];
    const sought = [...names.map((name) => `sought: ${name}`), ...kaikoura];
    for (const name of sought) await createCatalogue(editor, { name, events: [] });
    for (const [search, found] of [
      ["100%", ["sought: 100% sure"]],
      ["t: a_b", ["sought: a_b"]],
      ["back\\slash", ["sought: back\\slash"]],
      ["SOUGHT: ŌTAUTAHI", ["sought: ōtautahi"]],
      ["t: otautahi", ["sought: ōtautahi"]],
      ["t: kaikoura", kaikoura],
      ["t: 地震", ["sought: 地震"]],
      ["t: Kaiko\u0304ura", kaikoura],
      ["t: kaik\u014dura", kaikoura],
      ["'; drop", []],
    ] as const) {
      const { catalogues } = await list(`search=${encodeURIComponent(search)}`);
      expect(catalogues.map(({ name }) => name).toSorted(), search).toEqual(found);
    }
  });

  test("takes a list of statuses", async () => {
    const { id: active } = await createCatalogue(editor, { name: "by status" });
    await whileProcessing(service, async (processing) => {
      const idsOf = async (status: string) =>
        (await list(`pageSize=100&status=${status}`)).catalogues.map(({ id }) => id);
      await vi.waitFor(async () => expect(await idsOf("processing")).toContain(processing));
      expect(await idsOf("processing")).not.toContain(active);
      expect(await idsOf("active,error")).toContain(active);
      expect(await idsOf("active,error")).not.toContain(processing);
      const both = await idsOf("Active,%20PROCESSING");
      expect(both).toEqual(expect.arrayContaining([active, processing]));
      const none = { total: 0, catalogues: [] };
      expect(await list("search=by%20status&status=deleting")).toMatchObject(none);
    });
  });
});

describe("the name of a catalogue", () => {
  test("is trimmed, holds 255 characters of any script, and need not be unique", async () => {
    const path = await pathOf();
    for (const [given, kept] of [
      ["  Alpine Fault \n", "Alpine Fault"],
      [LONGEST, LONGEST],
      ["Ōtautahi 地震 землетрясение", "Ōtautahi 地震 землетрясение"],
    ] as const) {
      expect((await createCatalogue(editor, { name: given })).name).toBe(kept);
      await editor.send("PATCH", path, { name: given });
      expect((await read(path)).name).toBe(kept);
    }
  });

  test("is refused where it is none", async () => {
    const path = await pathOf();
    for (const [name, code] of [
      [undefined, "MISSING_NAME"],
      ["", "MISSING_NAME"],
      [" \t ", "MISSING_NAME"],
      [`${LONGEST}x`, "NAME_TOO_LONG"],
      ["a\nb", "VALIDATION_ERROR"],
      ["a\tb", "VALIDATION_ERROR"],
    ] as const) {
      expectRefusal(await submit({ name, events: [seismicEvent()] }), code, "name");
      expectRefusal(await editor.send("PATCH", path, { name }), code, "name");
    }
  });

  test("is read as it is, and stays, where it was given before such names were refused", async () => {
    const path = await pathOf();
    const name = "older\u202ename\nof two lines";
    await withClient(service.databaseUrl, (db) =>
      db.query("update read_model.catalogues set name = $2 where id = $1", [
        path.split("/").at(-1),
        name,
      ]),
    );
    expect((await read(path)).name).toBe(name);
    expect((await editor.send("PATCH", path, { is_public: true })).status).toBe(200);
    expect((await editor.get(`${path}/export?format=json`)).status).toBe(200);
  });
});

describe("the metadata of a catalogue", () => {
  const METADATA = {
    title: "Aftershocks of the Kaikōura earthquake <2016>",
    description: "Relocated & checked.\nSee the paper.",
    creators: [
      { name: "Example, Ann", orcid: "https://orcid.org/0000-0002-1825-0097" },
      { name: "An institute", ror: "03vek6s52" },
    ],
    publisher: "An institute",
    license: "CC-BY-4.0",
    doi: "10.1234/abc",
    references: ["https://example.org/paper"],
  };

  test("are taken with the catalogue, returned as given, replaced whole, and shown to guests of public ones only", async () => {
    const created = await submit({ name: "cited", events: [seismicEvent()], metadata: METADATA });
    expect(created).toMatchObject({ status: 201, body: { metadata: METADATA, version: 1 } });
    const path = `/api/catalogues/${created.body.id}`;
    expect((await read(path)).metadata).toEqual(METADATA);
    expect((await read(path, guest)).metadata ?? null).toBeNull();
    await editor.send("PATCH", path, { is_public: true });
    expect((await read(path, guest)).metadata).toEqual(METADATA);
    type Collection = { title: string; links: { rel: string; href: string }[] };
    const collection = `/api/ogc/collections/${created.body.id}`;
    const { title, links } = (await guest.get<Collection>(collection)).body;
    const license = links.find(({ rel }) => rel === "license");
    expect([title, license?.href]).toEqual([
      METADATA.title,
      "https://spdx.org/licenses/CC-BY-4.0.html",
    ]);

    const other = { metadata: { title: "Another" } };
    const tag = { "if-match": (await editor.get(path)).headers.get("etag") ?? "" };
    expect((await editor.send("PATCH", path, other, tag)).status).toBe(200);
    expect(await read(path)).toMatchObject({ ...other, version: 1 });
    expectRefusal(await editor.send("PATCH", path, other, tag), "PRECONDITION_FAILED");
    await editor.send("PATCH", path, { metadata: null });
    expect((await read(path)).metadata).toBeNull();
    for (const [metadata, field] of [
      [{ license: "CC-BY-9.9" }, "license"],
      [{ doi: "abc" }, "doi"],
      [{ creators: [{ name: "A", orcid: "0000-0002-1825-0098" }] }, "creators.0.orcid"],
      [{ keywords: [] }, "keywords"],
    ] as const) {
      const changed = await editor.send("PATCH", path, { metadata });
      expectRefusal(changed, "VALIDATION_ERROR", `metadata.${field}`);
      const body = { name: "cited", events: [seismicEvent()], metadata };
      expectRefusal(await submit(body), "VALIDATION_ERROR", `metadata.${field}`);
    }
  });

  test("are in exports that can carry them, which can be uploaded again", async () => {
    const path = await pathOf();
    await editor.send("PATCH", path, { metadata: METADATA });
    for (const format of ["json", "geojson", "quakeml", "kml"]) {
      const text = await (await editor.stream(`${path}/export?format=${format}`)).text();
      if (format.endsWith("json")) {
        expect(JSON.parse(text).catalogue.metadata).toEqual(METADATA);
      } else {
        expect(text).toContain("the Kaikōura earthquake &lt;2016&gt;\nRelocated &amp;");
        expect(text).toContain(
          "Example, Ann (https://orcid.org/0000-0002-1825-0097); An institute",
        );
        expect(text).toContain("License: CC-BY-4.0");
      }
      if (format === "kml") continue;
      const form = fileForm(text, { fileName: `export.${format === "quakeml" ? "xml" : format}` });
      const { body } = await editor.send("POST", "/api/upload", form);
      expect(body).toMatchObject({ rowCount: 1, errorCount: 0, warningCount: 0 });
    }
  });
});

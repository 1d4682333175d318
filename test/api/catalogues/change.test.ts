import { describe, expect, test } from "vitest";
import type { CatalogueVersion } from "#contracts/http/catalogue.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
const editor = () => service.loginAs("editor");

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

describe("PATCH /api/catalogues/{id}", () => {
  test("PATCH /api/catalogues/{id} changes the name, the visibility or both, and no version", async () => {
    const client = await editor();
    const { id } = await createCatalogue(client);
    for (const change of [
      { name: "new" },
      { is_public: true },
      { name: "both", is_public: false },
    ]) {
      const answer = await client.send("PATCH", `/api/catalogues/${id}`, change);
      expect(answer).toMatchObject({ status: 200, body: { success: true } });
      const { body } = await client.get(`/api/catalogues/${id}`);
      expect(body).toMatchObject({ ...change, version: 1, event_count: 1 });
    }
  });

  test.each([[{}], [{ status: "error" }]])(
    "PATCH /api/catalogues/{id} refuses %j as without a name",
    async (body) => {
      const client = await editor();
      const { id } = await createCatalogue(client);
      expectRefusal(
        await client.send("PATCH", `/api/catalogues/${id}`, body),
        "MISSING_NAME",
        "name",
      );
    },
  );
});

describe("DELETE /api/catalogues/{id}", () => {
  test("DELETE /api/catalogues/{id} takes the catalogue and all its events away", async () => {
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
  "PATCH answers 404 for the catalogue %s",
  async (id) => {
    const client = await editor();
    expectRefusal(await client.get(`/api/catalogues/${id}`), "NOT_FOUND");
    const renamed = await client.send("PATCH", `/api/catalogues/${id}`, { name: "x" });
    expectRefusal(renamed, "NOT_FOUND");
    expectRefusal(await client.send("DELETE", `/api/catalogues/${id}`), "NOT_FOUND");
  },
);

describe("the entity tag of a catalogue", () => {
  test("the entity tag of a catalogue changes with name, visibility and events, and answers 304 to who has seen it", async () => {
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

  test.each(["PATCH", "DELETE"] as const)(
    "the entity tag of a catalogue guards %s by If-Match",
    async (method) => {
      const client = await editor();
      const { id } = await createCatalogue(client);
      const path = `/api/catalogues/${id}`;
      const change = (ifMatch: string) =>
        client.send(method, path, { name: "new" }, { "if-match": ifMatch });
      const tag = (await client.get(path)).headers.get("etag") ?? "";
      expectRefusal(await change('"1-000000000000"'), "PRECONDITION_FAILED");
      expectRefusal(await change("not a tag"), "PRECONDITION_FAILED");
      expect((await client.get(path)).headers.get("etag")).toBe(tag);
      expect((await change(`"other", ${tag}`)).status).toBe(200);
    },
  );

  test("the entity tag of a catalogue matches any state as *", async () => {
    const client = await editor();
    const { id } = await createCatalogue(client);
    const any = { "if-match": "*" };
    expect((await client.send("PATCH", `/api/catalogues/${id}`, { name: "x" }, any)).status).toBe(
      200,
    );
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

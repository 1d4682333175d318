import { describe, expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { countLogRows } from "../../support/api/log-rows.ts";
import { rawGet } from "../../support/api/raw-request.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { useService } from "../../support/service.ts";

const MIB = 1024 * 1024;
const service = useService({ MAX_BODY_MB: "1", MAX_EVENTS_PER_REQUEST: "3" });

async function untouched(work: () => Promise<void>): Promise<void> {
  const before = await countLogRows(service);
  await work();
  expect(await countLogRows(service)).toBe(before);
}

/** A body of exactly so many bytes. */
function bodyOf(bytes: number, members: object): string {
  const body = JSON.stringify(members);
  return body + " ".repeat(bytes - body.length);
}

describe("a body over MAX_BODY_MB", () => {
  test.each([
    ["POST", "/api/catalogues"],
    ["PATCH", "/api/catalogues/:id"],
    ["POST", "/api/catalogues/:id/events"],
    ["POST", "/api/auth/login"],
    ["POST", "/api/auth/register"],
  ] as const)(
    "a body over MAX_BODY_MB is 413 at %s %s, and nothing is written",
    async (method, path) => {
      const client = await service.loginAs("editor");
      const { id } = await createCatalogue(client, { events: [] });
      const body = bodyOf(MIB + 1, { name: "x", events: [] });
      await untouched(async () => {
        expectRefusal(await client.send(method, path.replace(":id", id), body), "BODY_TOO_LARGE");
      });
    },
  );

  test("a body over MAX_BODY_MB is refused before it is sent, from who may not write, as 401", async () => {
    const guest = await service.loginAs("guest");
    const answer = await guest.send("POST", "/api/catalogues", bodyOf(MIB + 1, {}));
    expectRefusal(answer, "UNAUTHENTICATED");
  });

  test("a body over MAX_BODY_MB of exactly the limit is taken", async () => {
    const client = await service.loginAs("editor");
    const body = bodyOf(MIB, { name: "x", events: [] });
    expect((await client.send("POST", "/api/catalogues", body)).status).toBe(201);
  });
});

describe("more events than MAX_EVENTS_PER_REQUEST", () => {
  const events = (count: number) => Array.from({ length: count }, () => seismicEvent());

  test("more events than MAX_EVENTS_PER_REQUEST are 413 at both endpoints, and nothing is written", async () => {
    const client = await service.loginAs("editor");
    const { id } = await createCatalogue(client, { events: events(3) });
    await untouched(async () => {
      const body = { name: "x", events: events(4) };
      expectRefusal(await client.send("POST", "/api/catalogues", body), "TOO_MANY_EVENTS", "3");
      const added = await client.send("POST", `/api/catalogues/${id}/events`, body);
      expectRefusal(added, "TOO_MANY_EVENTS", "3");
    });
  });
});

describe("a path", () => {
  const get = async (path: string) => {
    const { status, text, headers } = await rawGet(service.url, path);
    return { status, headers, body: JSON.parse(text) as unknown };
  };
  const id = "00000000-0000-4000-8000-000000000000";

  test("a path that names nothing is 404 in the general shape", async () => {
    for (const path of [
      "/api",
      "/api/",
      "/api//catalogues",
      "/API/catalogues",
      "/api/catalogues/",
      "/api/catalogues/%00",
      "/api/catalogues/..",
      "/api/catalogues/../users",
      "/api/catalogues/%2e%2e",
      "/api/catalogues/%2e%2e%2fusers",
      "/api/catalogues/..%5cusers",
      `/api/catalogues/${id}%0d%0aX-Injected:1`,
      `/api/catalogues/${id};x=1`,
      `/api/catalogues/{${id}}`,
      `/api/catalogues/urn:uuid:${id}`,
      `/api/catalogues/${"9".repeat(201)}`,
      `/api/catalogues/${"9".repeat(10_000)}`,
      `/api/catalogues/${id}/events/filtered/`,
      "/api/catalogues/%F0%9F%8C%8B",
      "/.env",
      "/api/docs/../../package.json",
      "/api/docs/static/..%2f..%2f..%2fpackage.json",
      "/metrics%00",
    ]) {
      const { status, body, headers } = await get(path);
      expect({ path, status, body }).toMatchObject({
        path,
        status: 404,
        body: { error: expect.stringMatching(/\S/), code: "NOT_FOUND" },
      });
      expect(headers, path).toMatchObject({ "x-api-version": "1.0.0" });
      expect(headers).not.toHaveProperty("x-injected");
    }
  });

  test.each(["/api/catalogues/%", "/api/catalogues/%E0%A4%A", "/api/catalogues/%ff"])(
    "%s is no path: 400 in the general shape",
    async (path) => {
      const { status, body, headers } = await get(path);
      expect({ status, body }).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } });
      expect(headers).toMatchObject({
        "x-api-version": "1.0.0",
        "x-request-id": expect.any(String),
      });
    },
  );

  test.each(["PUT", "DELETE"])("%s of what cannot be so changed is 404", async (method) => {
    const response = await fetch(new URL("/api/catalogues", service.url), { method });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: "NOT_FOUND" });
  });

  test("a path of another's id in capitals names the same catalogue", async () => {
    const created = await createCatalogue(await service.loginAs("editor"));
    const { status, body } = await get(`/api/catalogues/${created.id.toUpperCase()}`);
    expect({ status, body }).toMatchObject({ status: 200, body: { id: created.id } });
  });
});

import { describe, expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { countLogRows } from "../../support/api/log-rows.ts";
import { rawGet } from "../../support/api/raw-request.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { useService } from "../../support/service.ts";

const MIB = 1024 * 1024;
const service = useService({ MAX_BODY_MB: "1", MAX_EVENTS_PER_REQUEST: "3" });

/** A body of exactly so many bytes. */
function bodyOf(bytes: number, members: object): string {
  const body = JSON.stringify(members);
  return body + " ".repeat(bytes - body.length);
}

const LIMITED = [
  ["POST", "/api/catalogues"],
  ["PATCH", "/api/catalogues/:id"],
  ["POST", "/api/catalogues/:id/events"],
  ["POST", "/api/auth/login"],
  ["POST", "/api/auth/register"],
] as const;

test("a body over MAX_BODY_MB is 413, before it is sent, and more events than MAX_EVENTS_PER_REQUEST too; nothing is written", async () => {
  const client = await service.loginAs("editor");
  const events = (count: number) => Array.from({ length: count }, () => seismicEvent());
  const { id } = await createCatalogue(client, { events: events(3) });
  const before = await countLogRows(service);
  const large = bodyOf(MIB + 1, { name: "x", events: [] });
  for (const [method, path] of LIMITED) {
    const answer = await client.send(method, path.replace(":id", id), large);
    expectRefusal(answer, "BODY_TOO_LARGE");
  }
  const body = { name: "x", events: events(4) };
  for (const path of ["/api/catalogues", `/api/catalogues/${id}/events`]) {
    expectRefusal(await client.send("POST", path, body), "TOO_MANY_EVENTS", "3");
  }
  const guest = await service.loginAs("guest");
  expectRefusal(await guest.send("POST", "/api/catalogues", large), "UNAUTHENTICATED");
  expect(await countLogRows(service)).toBe(before);
  const whole = bodyOf(MIB, { name: "x", events: [] });
  expect((await client.send("POST", "/api/catalogues", whole)).status).toBe(201);
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

  test("what is no path is 400, what cannot be so changed 404, in the general shape", async () => {
    for (const path of ["/api/catalogues/%", "/api/catalogues/%E0%A4%A", "/api/catalogues/%ff"]) {
      const { status, body, headers } = await get(path);
      expect({ status, body }).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } });
      expect(headers).toMatchObject({
        "x-api-version": "1.0.0",
        "x-request-id": expect.any(String),
      });
    }
    for (const method of ["PUT", "DELETE"]) {
      const response = await fetch(new URL("/api/catalogues", service.url), { method });
      expect([response.status, await response.json()]).toMatchObject([404, { code: "NOT_FOUND" }]);
    }
  });

  test("a path of another's id in capitals names the same catalogue", async () => {
    const created = await createCatalogue(await service.loginAs("editor"));
    const { status, body } = await get(`/api/catalogues/${created.id.toUpperCase()}`);
    expect({ status, body }).toMatchObject({ status: 200, body: { id: created.id } });
  });
});

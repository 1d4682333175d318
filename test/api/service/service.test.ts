import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { Agency } from "#contracts/http/imports.ts";
import { addressesOf, type Operation } from "#contracts/http/operation.ts";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { operations } from "#contracts/http/table/operations.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { rawGet } from "../../support/api/raw-request.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient, sessionToken } from "../../support/api-client.ts";
import { sharedService, useService } from "../../support/service.ts";
import { testLogKind } from "../../support/service-log.ts";
import { ADMIN } from "../../support/start-test-service.ts";

const MIB = 1024 * 1024;

async function pictureSources(url: string): Promise<string | undefined> {
  const { headers } = await fetch(url, { headers: { accept: "text/html" } });
  const policy = headers.get("content-security-policy") ?? "";
  return policy.split(";").find((directive) => directive.startsWith("img-src "));
}

describe("the service", () => {
  const service = sharedService();
  const guest = () => createApiClient(service.url);

  test("is alive, and ready when every check is healthy: database, agency and memory first", async () => {
    expect(await guest().get("/api/health")).toMatchObject({ status: 200, body: { status: "ok" } });
    const { status, body } = await guest().get<ReadinessReport>("/api/ready");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "ready",
      timestamp: expect.stringMatching(/Z$/),
      responseTime: expect.stringMatching(/^\d+(\.\d+)?ms$/),
    });
    expect(body.checks.slice(0, 3)).toEqual([
      { name: "database", status: "healthy", responseTime: expect.any(Number) },
      { name: "agency_api", status: "healthy", message: expect.stringContaining("CLOSED") },
      { name: "memory", status: "healthy", message: expect.stringMatching(/\d+ MB.*\d+%/) },
    ]);
    const others = body.checks.slice(3).filter(({ name }) => !name.startsWith("agency:"));
    expect(others.map(({ name }) => name)).toEqual([
      testLogKind() === "postgres" ? "event_log" : "event_store",
      "projections",
      "notifications",
      "alerts",
      "pressure",
    ]);
  });

  test("serves its OpenAPI document and pages to browse it, and answers HEAD like GET, without a body", async () => {
    const { body } = await guest().get<{ openapi: string; paths: object }>("/api/openapi.json");
    expect(body.openapi).toBe("3.1.0");
    const paths = Object.values(operations)
      .flatMap((operation: Operation) => addressesOf(operation))
      .map(({ path }) => path.replaceAll(/:(\w+)/g, "{$1}"));
    expect(Object.keys(body.paths).sort()).toEqual([...new Set(paths)].sort());
    const docs = await guest().get<string>("/api/docs");
    expect([docs.status, docs.headers.get("content-type")]).toMatchObject([
      200,
      expect.stringContaining("text/html"),
    ]);
    expect(docs.body).toMatch(/<!DOCTYPE html>/i);
    const head = await fetch(new URL("/api/catalogues", service.url), { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test("gives X-Request-Id back, and makes one anew for each request without one or with one that is none", async () => {
    const asked = { "x-request-id": "trace-1.a:b/c=" };
    const { headers } = await guest().get("/api/health", asked);
    expect(headers.get("x-request-id")).toBe(asked["x-request-id"]);
    const hostile = ["", "x".repeat(129), 'a" forged="1', "<script>", "\u00e9"];
    const ids = new Set<unknown>();
    for (const id of [...hostile, undefined, undefined]) {
      const own: Record<string, string> = id === undefined ? {} : { "x-request-id": id };
      const answer = await rawGet(service.url, "/api/health", own);
      expect(answer.headers["x-request-id"], id).toMatch(/^[0-9a-f-]{36}$/);
      ids.add(answer.headers["x-request-id"]);
    }
    expect(ids.size).toBe(7);
  });

  test("says its version, and guards browsers, whatever it answers", async () => {
    for (const [path, expected] of [
      ["/api/health", 200],
      ["/api/docs", 200],
      ["/api/catalogues?page=0", 400],
      ["/api/users", 401],
      ["/nowhere", 404],
      ["/api/catalogues/%", 400],
      [`/api/catalogues/${"9".repeat(300)}`, 404],
    ] as const) {
      const { status, headers } = await rawGet(service.url, path);
      expect(status, path).toBe(expected);
      expect(headers, path).toMatchObject({
        "x-api-version": expect.stringMatching(/^\d+\.\d+\.\d+$/),
        "x-request-id": expect.stringMatching(/\S/),
      });
      expect(headers, path).not.toHaveProperty("x-powered-by");
      // What cannot be routed reaches no plugin.
      if (path.includes("%") || path.length > 200) continue;
      expect(headers, path).toMatchObject({
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
        "referrer-policy": "no-referrer",
        "content-security-policy": path.startsWith("/api/docs")
          ? expect.stringContaining("script-src 'self'")
          : "default-src 'none';frame-ancestors 'none'",
      });
      // Said over https alone.
      expect(headers, path).not.toHaveProperty("strict-transport-security");
    }
  });

  test("lets no other origin read by default", async () => {
    const origin = "http://maps.example.org";
    const { headers } = await guest().get("/api/catalogues", { origin });
    expect(headers.has("access-control-allow-origin")).toBe(false);
    expect(headers.has("access-control-allow-credentials")).toBe(false);
  });

  test("tells guests its agencies, limits and version, and of no tiles", async () => {
    const admin = await service.loginAs("admin");
    // Files before this one may have added theirs.
    const { agencies } = (await admin.get<{ agencies: Agency[] }>("/api/agencies")).body;
    const names = agencies.filter(({ enabled }) => enabled).map(({ name }) => name);
    expect(names[0]).toBe("GeoNet");
    const settings = () => guest().get<{ agencies: string[] }>("/api/settings");
    // What was read a moment ago may be told.
    await expect.poll(async () => (await settings()).body.agencies).toEqual(names);
    const { status, body, headers } = await settings();
    expect(status).toBe(200);
    expect(body).toEqual({
      version: headers.get("x-api-version"),
      agencies: names,
      limits: {
        maxBodyBytes: 100 * MIB,
        maxUploadBytes: 100 * MIB,
        maxEventsPerRequest: 500_000,
        maxColumnEvents: 2_000_000,
      },
      registration: "open",
      signIn: { passwords: true, institute: false },
      tiles: null,
    });
    expect(await pictureSources(service.url)).toBe("img-src 'self' data: blob:");
    expectRefusal(await guest().get("/api/settings?all=true"), "VALIDATION_ERROR", "all");
  });

  /** What the service sends back for these lines, until it closes the connection. */
  async function answerTo(...lines: readonly string[]): Promise<{ head: string; body: unknown }> {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.end([...lines, "Connection: close", "", ""].join("\r\n"));
    const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
    return { head, body: JSON.parse(body) };
  }

  test("answers what it cannot read in the general shape: no Host or two in HTTP/1.1, headers that are too long", async () => {
    for (const hosts of [[], ["Host: one.example.org", "hOsT: other.example.org"]]) {
      const { head, body } = await answerTo("GET /api/health HTTP/1.1", ...hosts);
      expect(head).toMatch(/^HTTP\/1\.1 400 /);
      expect(head).toMatch(/^x-request-id: /m);
      const error = "The request must have one Host header";
      expect(body).toEqual({ error, code: "VALIDATION_ERROR" });
    }
    expect((await answerTo("GET /api/health HTTP/1.0")).head).toMatch(/^HTTP\/1\.1 200 /);
    const long = { "x-long": "x".repeat(100_000) };
    const answer = await rawGet(service.url, "/api/catalogues", long);
    expect(answer.status).toBe(431);
    expect(JSON.parse(answer.text)).toMatchObject({ code: "VALIDATION_ERROR" });
  });
});

describe("a configured service", () => {
  const origin = "https://maps.example.org";
  const tiles = "https://tiles.example.org:8443/{z}/{x}/{y}.png?key=k";
  const service = useService({
    CORS_ORIGINS: origin,
    AGENCY_NAME: "Institut de Physique du Globe",
    MAX_BODY_MB: "3",
    MAX_UPLOAD_MB: "7",
    MAX_EVENTS_PER_REQUEST: "1000",
    MAP_TILES_URL: tiles,
    MAP_TILES_CREDIT: "© People & others",
  });

  test("tells its settings, and lets pages load pictures from the tiles' host alone", async () => {
    const { body } = await createApiClient(service.url).get("/api/settings");
    expect(body).toMatchObject({
      agencies: ["Institut de Physique du Globe"],
      limits: { maxBodyBytes: 3 * MIB, maxUploadBytes: 7 * MIB, maxEventsPerRequest: 1_000 },
      tiles: { url: tiles, credit: "© People & others" },
    });
    expect(await pictureSources(service.url)).toBe(
      "img-src 'self' data: blob: https://tiles.example.org:8443",
    );
  });

  test("lets the origins of CORS_ORIGINS call with credentials and read the tags, and no others", async () => {
    const guest = createApiClient(service.url);
    const { headers } = await guest.get("/api/catalogues", { origin });
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-allow-credentials")).toBe("true");
    expect(headers.get("access-control-expose-headers")).toContain("ETag");
    const other = await guest.get("/api/catalogues", { origin: "https://evil.example.org" });
    expect(other.headers.has("access-control-allow-origin")).toBe(false);
    for (const method of ["POST", "PATCH", "DELETE"]) {
      const response = await fetch(new URL("/api/catalogues/x", service.url), {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": method,
          "access-control-request-headers": "content-type,if-match",
        },
      });
      expect(response.status, method).toBe(204);
      expect(response.headers.get("access-control-allow-methods")).toContain(method);
      expect(response.headers.get("access-control-allow-headers")).toContain("if-match");
    }
    const admin = await service.loginAs("admin");
    const cookie = `session=${await sessionToken(service.url, ADMIN)}`;
    for (const [from, status] of [
      [origin, 201],
      ["https://other.example.org", 403],
    ] as const) {
      const body = { name: "cookie", events: [] };
      const answer = await guest.send("POST", "/api/catalogues", body, { origin: from, cookie });
      expect(answer.status, from).toBe(status);
      expect((await admin.get("/api/auth/session")).status).toBe(200);
    }
  });
});

describe("rate limits", () => {
  const LIMIT = 4;
  const service = useService({
    RATE_LIMIT_READ: String(LIMIT),
    RATE_LIMIT_WRITE: "2",
    RATE_LIMIT_AUTH: "5",
  });

  test("count reads of a guest by address, whatever X-Forwarded-For says, and of a user by account, over all operations", async () => {
    const guest = createApiClient(service.url);
    const paths = ["/api/catalogues", "/api/auth/session", "/api/openapi.json", "/api/users"];
    for (const [used, path] of paths.entries()) {
      const { status, headers } = await guest.get(path);
      expect(status).not.toBe(429);
      expect(headers.get("x-ratelimit-limit")).toBe(String(LIMIT));
      expect(headers.get("x-ratelimit-remaining")).toBe(String(LIMIT - used - 1));
    }
    const refused = await guest.get<{ retryAfter: number }>("/api/catalogues");
    expectRefusal(refused, "RATE_LIMIT_EXCEEDED");
    const { retryAfter } = refused.body;
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(Object.keys(refused.body as object).sort()).toEqual(["code", "error", "retryAfter"]);
    expect(Number(refused.headers.get("retry-after"))).toBe(retryAfter);
    expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
    expect(refused.headers.get("x-api-version")).not.toBeNull();
    const spoofed = { "x-forwarded-for": "203.0.113.9" };
    expect((await guest.get("/api/catalogues", spoofed)).status).toBe(429);

    const { client: editor } = await (await newAccount(service, "editor")).signIn();
    expect((await editor.get("/api/catalogues")).status).toBe(200);
    await createCatalogue(editor, { events: [] });
    for (const path of ["/api/health", "/api/ready"]) {
      expect((await guest.get(path)).status).toBe(200);
    }
  });
});

import { describe, expect, test } from "vitest";
import { addressesOf, type Operation } from "#contracts/http/operation.ts";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { operations } from "#contracts/http/table/operations.ts";
import { createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";
import { testLogKind } from "../../support/service-log.ts";
import { rawGet } from "../support/raw-request.ts";

describe("the service", () => {
  const service = useService();
  const guest = () => createApiClient(service.url);

  test("the service is ready when every check is healthy, and reports database, agency and memory first", async () => {
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
    expect(body.checks.slice(3).map(({ name }) => name)).toEqual([
      testLogKind() === "postgres" ? "event_log" : "event_store",
      "projections",
      "notifications",
      "pressure",
    ]);
  });

  test("the service is alive", async () => {
    expect(await guest().get("/api/health")).toMatchObject({ status: 200, body: { status: "ok" } });
  });

  test("the service serves its OpenAPI document and pages to browse it", async () => {
    const { body } = await guest().get<{ openapi: string; paths: object }>("/api/openapi.json");
    expect(body.openapi).toBe("3.1.0");
    const paths = Object.values(operations)
      .flatMap((operation: Operation) => addressesOf(operation))
      .map(({ path }) => path.replaceAll(/:(\w+)/g, "{$1}"));
    expect(Object.keys(body.paths).sort()).toEqual([...new Set(paths)].sort());
    const docs = await guest().get<string>("/api/docs");
    expect(docs.status).toBe(200);
    expect(docs.headers.get("content-type")).toContain("text/html");
    expect(docs.body).toMatch(/<!DOCTYPE html>/i);
  });

  describe("X-Request-Id", () => {
    test("X-Request-Id is given back", async () => {
      const { headers } = await guest().get("/api/health", { "x-request-id": "trace-1.a:b/c=" });
      expect(headers.get("x-request-id")).toBe("trace-1.a:b/c=");
    });

    test("X-Request-Id is made anew for each request without one", async () => {
      const ids = [await guest().get("/api/health"), await guest().get("/api/health")].map(
        ({ headers }) => headers.get("x-request-id"),
      );
      expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(ids[1]).not.toBe(ids[0]);
    });

    test.each([
      ["empty", ""],
      ["longer than 128 characters", "x".repeat(129)],
      ["with spaces", 'a" forged="1'],
      ["with markup", "<script>"],
      ["beyond ASCII", "\u00e9"],
    ])("X-Request-Id is made anew when it is %s", async (_title, hostile) => {
      const { headers } = await rawGet(service.url, "/api/health", { "x-request-id": hostile });
      expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    });
  });

  test.each([
    ["/api/health", 200],
    ["/api/docs", 200],
    ["/api/catalogues?page=0", 400],
    ["/api/users", 401],
    ["/nowhere", 404],
    ["/api/catalogues/%", 400],
    [`/api/catalogues/${"9".repeat(300)}`, 404],
  ])("the service says its version, and guards browsers, at %s (%i)", async (path, expected) => {
    const { status, headers } = await rawGet(service.url, path);
    expect(status).toBe(expected);
    expect(headers).toMatchObject({
      "x-api-version": expect.stringMatching(/^\d+\.\d+\.\d+$/),
      "x-request-id": expect.stringMatching(/\S/),
    });
    expect(headers).not.toHaveProperty("x-powered-by");
    // What cannot be routed reaches no plugin.
    if (path.includes("%") || path.length > 200) return;
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-frame-options": "SAMEORIGIN",
      "referrer-policy": "no-referrer",
      "content-security-policy": path.startsWith("/api/docs")
        ? expect.stringContaining("script-src 'self'")
        : "default-src 'none';frame-ancestors 'none'",
    });
    // Said over https alone.
    expect(headers).not.toHaveProperty("strict-transport-security");
  });

  test("the service lets no other origin read by default", async () => {
    const origin = "http://maps.example.org";
    const { headers } = await guest().get("/api/catalogues", { origin });
    expect(headers.has("access-control-allow-origin")).toBe(false);
    expect(headers.has("access-control-allow-credentials")).toBe(false);
  });

  test("the service answers HEAD like GET, without a body", async () => {
    const response = await fetch(new URL("/api/catalogues", service.url), { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
  });
});

describe("CORS_ORIGINS", () => {
  const origin = "https://maps.example.org";
  const service = useService({ CORS_ORIGINS: origin });

  test("CORS_ORIGINS lists the origins that may call with credentials, and no others", async () => {
    const guest = createApiClient(service.url);
    const { headers } = await guest.get("/api/catalogues", { origin });
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-allow-credentials")).toBe("true");
    const other = await guest.get("/api/catalogues", { origin: "https://evil.example.org" });
    expect(other.headers.has("access-control-allow-origin")).toBe(false);
  });

  test.each(["POST", "PATCH", "DELETE"])(
    "CORS_ORIGINS may %s, as a preflight tells",
    async (method) => {
      const response = await fetch(new URL("/api/catalogues/x", service.url), {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": method,
          "access-control-request-headers": "content-type,if-match",
        },
      });
      expect(response.status).toBe(204);
      expect(response.headers.get("access-control-allow-methods")).toContain(method);
      expect(response.headers.get("access-control-allow-headers")).toContain("if-match");
    },
  );
});

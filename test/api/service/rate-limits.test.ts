import { describe, expect, test } from "vitest";
import { createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";
import { newAccount } from "../support/accounts.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

describe("rate limits", () => {
  const LIMIT = 4;
  const service = useService({ RATE_LIMIT_READ: String(LIMIT), RATE_LIMIT_WRITE: "2" });

  test("rate limits count reads of a guest by address and of a user by account, over all operations", async () => {
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

    const { client: editor } = await (await newAccount(service, "editor")).signIn();
    expect((await editor.get("/api/catalogues")).status).toBe(200);
    await createCatalogue(editor, { events: [] });
    for (const path of ["/api/health", "/api/ready"]) {
      expect((await guest.get(path)).status).toBe(200);
    }
  });

  test("rate limits cannot be got round by X-Forwarded-For", async () => {
    for (let i = 0; i <= LIMIT; i += 1) {
      await createApiClient(service.url).get("/api/catalogues");
    }
    const spoofed = await createApiClient(service.url).get("/api/catalogues", {
      "x-forwarded-for": "203.0.113.9",
    });
    expect(spoofed.status).toBe(429);
  });
});

describe("RATE_LIMIT_AUTH", () => {
  const service = useService({ RATE_LIMIT_AUTH: "2" });

  test("RATE_LIMIT_AUTH bounds guesses of passwords per 15 minutes", async () => {
    const guest = createApiClient(service.url);
    const guess = () =>
      guest.send<{ retryAfter: number }>("POST", "/api/auth/login", {
        email: "a@example.org",
        password: "guess",
      });
    expect([await guess(), await guess()].map(({ status }) => status)).toEqual([401, 401]);
    const refused = await guess();
    expectRefusal(refused, "RATE_LIMIT_EXCEEDED");
    expect(refused.body.retryAfter).toBeGreaterThan(60);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";
import { newAccount } from "../support/accounts.ts";

const service = useService();
const REQUESTS = 300;
const AT_ONCE = 20;

const ROUTES: Readonly<Record<string, readonly string[]>> = {
  register: ["name", "email", "password"],
  login: ["email", "password"],
  "change-password": ["currentPassword", "newPassword"],
  "forgot-password": ["email"],
  "reset-password": ["token", "newPassword"],
};

const deep = (levels: number): unknown => (levels === 0 ? {} : { a: deep(levels - 1) });

/** Never a well-formed address, nor a password or a token of anybody. */
const hostileValue = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1e308, [], {}, [[]], ["a@example.org"]),
  fc.constantFrom("", " ", "\u0000", "\ud800", "a@\u0000.org", "а@ехample", "a＠example.org"),
  fc.constantFrom("__proto__", "constructor", "a@b", "' or 1=1 --", "\u202e@", "İ".repeat(300)),
  fc.integer({ min: 1_000, max: 50_000 }).map((length) => "x".repeat(length)),
  fc.integer({ min: 10, max: 100 }).map(deep),
  fc.string({ unit: "binary", maxLength: 6 }),
);

function hostileBody(fields: readonly string[]) {
  const members = fields.map((field) => fc.tuple(fc.constant(field), hostileValue));
  const extra = fc.tuple(fc.constantFrom("__proto__", "constructor", "toString"), hostileValue);
  return fc.tuple(fc.tuple(...members), fc.array(extra, { maxLength: 2 })).map(([own, others]) => {
    const pairs = [...own, ...others].map(
      ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
    );
    return `{${pairs.join(",")}}`;
  });
}

describe.each(Object.entries(ROUTES))("POST /api/auth/%s", (route, fields) => {
  test("answers hostile bodies with 4xx alone", { timeout: 120_000 }, async () => {
    const { token } = await (await newAccount(service, "viewer")).signIn();
    const client = createApiClient(service.url, token);
    const bodies = fc.sample(hostileBody(fields), { numRuns: REQUESTS, seed: 6 });
    for (let at = 0; at < bodies.length; at += AT_ONCE) {
      await Promise.all(
        bodies.slice(at, at + AT_ONCE).map(async (body) => {
          const { status } = await client.send("POST", `/api/auth/${route}`, body);
          expect(Math.floor(status / 100), `${status} to ${body.slice(0, 300)}`).toBe(4);
        }),
      );
    }
  });
});

import fastify from "fastify";
import { describe, expect, test } from "vitest";
import { registerAuthentication } from "#services/gateway/auth/authentication.ts";
import { createNonces } from "#services/gateway/auth/nonces.ts";
import { registerRateLimits } from "#services/gateway/auth/rate-limits.ts";
import { registerErrors } from "#services/gateway/http/error-handlers.ts";
import { newEmail } from "../../support/api/accounts.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { NO_TOKENS } from "../../support/bare-app.ts";
import { useService } from "../../support/service.ts";

const LIMIT = 2;

/** Signing in with a wrong password, as from `address`. */
function guesser(url: string) {
  const guest = createApiClient(url);
  return async (address: string, email: unknown) => {
    const headers = { "x-forwarded-for": address };
    const form = { email, password: "a guess" };
    return guest.send<{ retryAfter: number }>("POST", "/api/auth/login", form, headers);
  };
}

describe("behind a proxy, RATE_LIMIT_AUTH", () => {
  const service = useService({ RATE_LIMIT_AUTH: String(LIMIT), TRUST_PROXY: "true" });
  const guess = (address: string, email: unknown) => guesser(service.url)(address, email);

  test("keeps one address from trying many accounts", async () => {
    for (let i = 0; i < LIMIT; i += 1) {
      expect((await guess("198.51.100.1", newEmail())).status).toBe(401);
    }
    expectRefusal(await guess("198.51.100.1", newEmail()), "RATE_LIMIT_EXCEEDED");
    expect((await guess("198.51.100.2", newEmail())).status).toBe(401);
  });

  test("keeps one account from being tried from many addresses, however it is written", async () => {
    const email = `Müller.${newEmail()}`;
    const spellings = [email, email.toUpperCase(), ` ${email.normalize("NFD")} `];
    const answers = [];
    for (const [i, spelling] of spellings.entries()) {
      answers.push(await guess(`203.0.113.${i}`, spelling));
    }
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 429]);
    const { headers, body } = answers[LIMIT] ?? {};
    expect(headers?.get("x-ratelimit-remaining")).toBe("0");
    expect(headers?.get("x-ratelimit-limit")).toBe(String(LIMIT));
    expect(Number(headers?.get("retry-after"))).toBe(body?.retryAfter);
    expect((await guess("203.0.113.9", newEmail())).status).toBe(401);
  });

  test("counts the addresses of one IPv6 subscriber as one", async () => {
    for (const address of ["2001:db8:0:7::1", "2001:db8:0:7:ffff:ffff:ffff:ffff"]) {
      expect((await guess(address, newEmail())).status).toBe(401);
    }
    expectRefusal(await guess("2001:db8:0:7:a::1", newEmail()), "RATE_LIMIT_EXCEEDED");
    expect((await guess("2001:db8:0:8::1", newEmail())).status).toBe(401);
  });

  test("counts an IPv4 address also where it is mapped into IPv6", async () => {
    const addresses = ["192.0.2.1", "::ffff:192.0.2.1", "::ffff:c000:201"];
    const answers = [];
    for (const address of addresses) answers.push(await guess(address, newEmail()));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 429]);
  });

  test("believes the nearest proxy alone: an address that the client claims counts for nothing", async () => {
    for (let i = 0; i < LIMIT; i += 1) await guess(`10.0.0.${i}, 192.0.2.77`, newEmail());
    expectRefusal(await guess("10.0.0.99, 192.0.2.77", newEmail()), "RATE_LIMIT_EXCEEDED");
  });

  test("is not got round by what is no address", async () => {
    for (const claim of ["unknown", "nonsense"]) await guess(claim, newEmail());
    expectRefusal(await guess("_hidden", newEmail()), "RATE_LIMIT_EXCEEDED");
  });

  test.each([
    [400, "no text", 7, "192.0.2.101"],
    [401, "no address", "nobody", "192.0.2.102"],
    [401, "longer than an address can be", `${"x".repeat(300)}@example.org`, "192.0.2.103"],
  ])("answers %i where the email is %s", async (expected, _title, email, address) => {
    const { status } = await guess(address, email);
    expect(status).toBe(expected);
  });
});

describe("without TRUST_PROXY", () => {
  const service = useService({ RATE_LIMIT_AUTH: String(LIMIT) });

  test("X-Forwarded-For is not believed", async () => {
    const guess = guesser(service.url);
    for (let i = 0; i < LIMIT; i += 1) await guess(`198.51.100.${i}`, newEmail());
    expectRefusal(await guess("198.51.100.99", newEmail()), "RATE_LIMIT_EXCEEDED");
  });
});

describe("a limit of 0", () => {
  const service = useService({ RATE_LIMIT_AUTH: "0" });

  test("a rate limit of 0 limits nothing", async () => {
    const email = newEmail();
    for (let i = 0; i < 15; i += 1) {
      const { status, headers } = await guesser(service.url)("", email);
      expect(status).toBe(401);
      expect(headers.has("x-ratelimit-limit")).toBe(false);
    }
  });
});

test("a flood of addresses is counted in bounded memory: the one unseen longest is forgotten", async () => {
  const app = fastify();
  registerErrors(app, { publicBaseUrl: "http://localhost" }, () => "Bearer");
  app.decorateRequest("cookies");
  app.addHook("onRequest", async (request) => {
    request.cookies = {};
  });
  registerAuthentication(app, {
    config: { publicBaseUrl: "http://catalogues.example.org", corsOrigins: [] },
    readActor: async () => null,
    accessTokens: NO_TOKENS,
    nonces: createNonces(""),
    failures: null,
  });
  const COUNTED = 100;
  const limits = { read: 1, clients: 1, write: 1, auth: 1 };
  const options = { secret: "", maxCounted: COUNTED };
  const { onRequest } = (await registerRateLimits(app, limits, options))("read");
  app.get("/", { onRequest }, async () => "seen");
  const from = async (n: number) => {
    const remoteAddress = `10.0.${n >> 8}.${n & 255}`;
    return (await app.inject({ url: "/", remoteAddress })).statusCode;
  };
  expect([await from(0), await from(0)]).toEqual([200, 429]);
  for (let n = 1; n <= COUNTED; n += 1) expect(await from(n)).toBe(200);
  expect(await from(COUNTED)).toBe(429);
  expect(await from(0)).toBe(200);
  await app.close();
});

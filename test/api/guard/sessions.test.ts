import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Role } from "#contracts/rights.ts";
import type { Actor } from "#services/handler.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { claimsOf, forgeToken } from "../../support/api/tokens.ts";
import { createApiClient } from "../../support/api-client.ts";
import { buildBareApp } from "../../support/bare-app.ts";
import { sharedService } from "../../support/service.ts";
import { TEST_SECRET } from "../../support/start-test-service.ts";

const KEY = { hash: "sha256", secret: TEST_SECRET } as const;
const HS256 = { alg: "HS256", typ: "JWT" };
const HOUR = 3_600;
const service = sharedService();

let genuine: { token: string; claims: Readonly<Record<string, unknown>>; otherId: string };
beforeAll(async () => {
  const { token } = await (await newAccount(service, "admin")).signIn();
  const { id: otherId } = await newAccount(service, "admin");
  genuine = { token, claims: claimsOf(token), otherId };
});

const claiming = (claims: Record<string, unknown>) =>
  forgeToken(HS256, { ...genuine.claims, ...claims }, KEY);
const now = () => Math.floor(Date.now() / 1_000);
const [part0, part1, part2] = [0, 1, 2].map((i) => () => genuine.token.split(".")[i] ?? "");

/** The signed claims with one letter of the signature changed. */
function withOtherSignature(): string {
  const signature = part2?.() ?? "";
  const first = signature.startsWith("A") ? "B" : "A";
  return `${part0?.()}.${part1?.()}.${first}${signature.slice(1)}`;
}

const REFUSED: Record<string, () => string> = {
  "an empty text": () => "",
  "no token at all": () => "nonsense",
  "two parts": () => genuine.token.split(".").slice(0, 2).join("."),
  "four parts": () => `${genuine.token}.x`,
  "another signature": withOtherSignature,
  "no signature": () => `${part0?.()}.${part1?.()}.`,
  "claims changed after signing": () => {
    const claims = Buffer.from(JSON.stringify({ ...genuine.claims, sub: genuine.otherId }));
    return `${part0?.()}.${claims.toString("base64url")}.${part2?.()}`;
  },
  "alg none": () => forgeToken({ alg: "none" }, genuine.claims, { hash: null, secret: "" }),
  "alg NONE": () => forgeToken({ alg: "NONE" }, genuine.claims, { hash: null, secret: "" }),
  "alg none over a genuine signature": () => forgeToken({ alg: "none" }, genuine.claims, KEY),
  "alg HS512": () => forgeToken({ alg: "HS512" }, genuine.claims, { ...KEY, hash: "sha512" }),
  "alg RS256": () => forgeToken({ alg: "RS256" }, genuine.claims, KEY),
  "no alg": () => forgeToken({ typ: "JWT" }, genuine.claims, KEY),
  "another key": () => forgeToken(HS256, genuine.claims, { ...KEY, secret: `${TEST_SECRET}!` }),
  "an empty key": () => forgeToken(HS256, genuine.claims, { ...KEY, secret: "" }),
  "a time that is over": () => claiming({ iat: now() - 2 * HOUR, exp: now() - HOUR }),
  "a time yet to come": () => claiming({ nbf: now() + HOUR }),
  "no expiry": () => claiming({ exp: undefined }),
  "an expiry that is no number": () => claiming({ exp: "never" }),
  "no user": () => claiming({ sub: undefined }),
  "a user that is a number": () => claiming({ sub: 1 }),
  "a user that is a list": () => claiming({ sub: [genuine.claims["sub"]] }),
  "a user with a NUL byte": () => claiming({ sub: "user_1\u0000" }),
  "another user's id": () => claiming({ sub: genuine.otherId }),
  "no session": () => claiming({ sid: undefined }),
  "a session that is no UUID": () => claiming({ sid: "1 or 1=1" }),
  "a session that is null": () => claiming({ sid: null }),
  "a session that never was": () => claiming({ sid: randomUUID() }),
};

test("a token that the service has not signed so is as good as none", async () => {
  for (const [what, forge] of Object.entries(REFUSED)) {
    for (const headers of [
      { authorization: `Bearer ${forge()}` },
      { cookie: `session=${forge()}` },
    ]) {
      const guest = createApiClient(service.url);
      const { status } = await guest.get("/api/users", headers);
      const { body } = await guest.get("/api/auth/session", headers);
      expect([what, status, body]).toEqual([what, 401, {}]);
    }
  }
});

test("the token that these were made from is good", async () => {
  const client = createApiClient(service.url, genuine.token);
  expect((await client.get("/api/users")).status).toBe(200);
  const remade = createApiClient(service.url, claiming({}));
  expect((await remade.get("/api/users")).status).toBe(200);
});

describe("who asks is known before anything is done:", () => {
  const sessionId = randomUUID();
  const actor = (role: Role): Actor => ({
    userId: "user_1_reader",
    email: "a@example.org",
    name: role,
    role,
    sessionId,
    expires: "2030-01-01T00:00:00.000Z",
  });

  /** For whom each run of a handler was. */
  let runs: (Actor | null)[] = [];
  /** What the database says of the session now. */
  let session: () => Promise<Actor | null>;
  let app: FastifyInstance;

  beforeEach(async () => {
    runs = [];
    app = await buildBareApp(
      {
        getSession: async (call) => {
          runs.push(call.actor);
          return { body: {} };
        },
        listUsers: async (call) => {
          runs.push(call.actor);
          return { body: { users: [], total: 0, page: 1, pageSize: 20 } };
        },
      },
      { readActor: () => session(), checkAnswers: false },
    );
    await app.ready();
  });
  afterEach(() => app.close());

  async function get(url: string): Promise<number> {
    return (await answerTo(url)).statusCode;
  }

  async function answerTo(url: string) {
    const token = app.jwt.sign({ sub: "user_1_reader", sid: sessionId }, { expiresIn: 60 });
    const headers = { authorization: `Bearer ${token}` };
    return app.inject({ method: "GET", url, headers });
  }

  /** A first request of the session, after which the caller is known. */
  async function knownAs(role: Role): Promise<void> {
    session = async () => actor(role);
    await get("/api/auth/session");
    runs = [];
  }

  test("nothing is done for a request before its session is read", async () => {
    await knownAs("viewer");
    const { promise, resolve } = Promise.withResolvers<Actor>();
    session = () => promise;
    const answer = get("/api/auth/session");
    await setImmediate();
    expect(runs).toEqual([]);
    resolve(actor("editor"));
    expect(await answer).toBe(200);
    expect(runs).toEqual([actor("editor")]);
  });

  test("nothing is read for a caller whose session cannot be read", async () => {
    await knownAs("admin");
    session = async () => {
      throw new Error("connection terminated unexpectedly");
    };
    const answer = await answerTo("/api/users");
    expect(answer.json()).toMatchObject({ code: "DATABASE_ERROR" });
    expect(runs).toEqual([]);
  });
});

describe("a secret of before:", () => {
  const NEW = "a new secret of this test alone, 32 long";
  const OLD = "an older secret of this test, 32 long";

  const actor = {
    userId: "user_1_reader",
    email: "a@example.org",
    name: "Ana",
    role: "viewer",
    sessionId: randomUUID(),
    expires: "2030-01-01T00:00:00.000Z",
  } as const;

  async function openApp(jwtSecret: string, previousJwtSecret: string | null) {
    const app = await buildBareApp(
      { getSession: async (call) => ({ body: call.actor ? { expires: call.actor.expires } : {} }) },
      {
        config: { jwtSecret, previousJwtSecret },
        readActor: async () => actor,
        checkAnswers: false,
      },
    );
    onTestFinished(() => app.close());
    await app.ready();
    return {
      token: () => {
        const iat = Math.floor(Date.now() / 1_000);
        return app.jwt.sign({ sub: actor.userId, sid: actor.sessionId, iat, exp: iat + 60 });
      },
      accepts: async (token: string): Promise<boolean> => {
        const headers = { authorization: `Bearer ${token}` };
        const { body } = await app.inject({ url: "/api/auth/session", headers });
        return body.includes(actor.expires);
      },
    };
  }

  test("a session that the secret before has signed is good as long as that is configured, and signs no new one", async () => {
    const [before, between, after] = [
      await openApp(OLD, null),
      await openApp(NEW, OLD),
      await openApp(NEW, null),
    ];
    expect(await between.accepts(before.token())).toBe(true);
    expect(await between.accepts(between.token())).toBe(true);
    expect(await after.accepts(between.token())).toBe(true);
    expect(await after.accepts(before.token())).toBe(false);
    expect(await before.accepts(between.token())).toBe(false);
  });
});

import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { newAccount } from "../../support/api/accounts.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { claimsOf, forgeToken } from "../../support/api/tokens.ts";
import { createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";

const JWT_SECRET = "a secret that only this file knows";
const KEY = { hash: "sha256", secret: JWT_SECRET } as const;
const HS256 = { alg: "HS256", typ: "JWT" };
const HOUR = 3_600;
const service = useService({ JWT_SECRET });

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
  "another key": () => forgeToken(HS256, genuine.claims, { ...KEY, secret: `${JWT_SECRET}!` }),
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

describe("a token with", () => {
  test.each(Object.entries(REFUSED))("%s is as good as none", async (_what, forge) => {
    for (const headers of [
      { authorization: `Bearer ${forge()}` },
      { cookie: `session=${forge()}` },
    ]) {
      const guest = createApiClient(service.url);
      expectRefusal(await guest.get("/api/users", headers), "UNAUTHENTICATED");
      expect(await guest.get("/api/auth/session", headers)).toMatchObject({
        status: 200,
        body: {},
      });
    }
  });
});

test("the token that these were made from is good", async () => {
  const client = createApiClient(service.url, genuine.token);
  expect((await client.get("/api/users")).status).toBe(200);
  const remade = createApiClient(service.url, claiming({}));
  expect((await remade.get("/api/users")).status).toBe(200);
});

test("a revoked token is refused from the next request on, on every copy", async () => {
  const { token, client } = await (await newAccount(service, "admin")).signIn();
  const other = createApiClient(copy.url, token);
  expect((await other.get("/api/users")).status).toBe(200);
  await client.send("POST", "/api/auth/logout");
  expectRefusal(await other.get("/api/users"), "UNAUTHENTICATED");
});

const copy = useService({ JWT_SECRET }, { copyOf: service });

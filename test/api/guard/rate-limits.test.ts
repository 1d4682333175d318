import { randomUUID } from "node:crypto";
import fastify from "fastify";
import { describe, expect, test } from "vitest";
import { Refusal } from "#contracts/errors.ts";
import { registerErrors } from "#services/gateway/answers.ts";
import { createNonces, registerAuthentication } from "#services/gateway/authentication.ts";
import { registerRateLimits } from "#services/gateway/rate-limits.ts";
import { basic, newAccessToken } from "../../support/api/access-tokens.ts";
import { newEmail, PASSWORD, type TestAccount } from "../../support/api/accounts.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { resetTokenOf } from "../../support/api/reset-token.ts";
import { createApiClient } from "../../support/api-client.ts";
import { buildBareApp, NO_TOKENS } from "../../support/bare-app.ts";
import { withClient } from "../../support/database-template.ts";
import { useService } from "../../support/service.ts";

const LIMIT = 2;
const service = useService({ RATE_LIMIT_AUTH: String(LIMIT), TRUST_PROXY: "true" });

/** A network that nobody has used before. */
let networks = 0;
function newNetwork(): string {
  networks += 1;
  return `2001:db8:${networks.toString(16)}::1`;
}

type Headers = Record<string, string>;

const from = (network: string): Headers => ({ "x-forwarded-for": network });
const guest = () => createApiClient(service.url);

function signIn(network: string, email: unknown, password: string, headers: Headers = {}) {
  const body = { email, password };
  return guest().send<{ token: string; retryAfter: number }>("POST", "/api/auth/login", body, {
    ...from(network),
    ...headers,
  });
}

const guess = (network: string, email: unknown, headers: Headers = {}) =>
  signIn(network, email, `a guess ${randomUUID()}`, headers);

/** An account that was registered, and has signed in, from a network of its own. */
async function ownerAt(home: string): Promise<TestAccount> {
  const email = newEmail();
  const form = { name: "Ana", email, password: PASSWORD };
  const registered = await guest().send<{ user: { id: string } }>(
    "POST",
    "/api/auth/register",
    form,
    from(home),
  );
  expect(registered.status).toBe(201);
  const answer = await signIn(home, email, PASSWORD);
  expect(answer.status).toBe(200);
  const client = createApiClient(service.url, answer.body.token);
  const { token } = answer.body;
  return { id: registered.body.user.id, email, signIn: async () => ({ token, client }) };
}

/** Spends an account's budget from networks of the attacker's. */
async function spendAccount(email: string): Promise<void> {
  for (let i = 0; i < LIMIT; i += 1) expect((await guess(newNetwork(), email)).status).toBe(401);
  expectRefusal(await guess(newNetwork(), email), "RATE_LIMIT_EXCEEDED");
}

describe("RATE_LIMIT_AUTH", () => {
  test("RATE_LIMIT_AUTH counts no sign-in that succeeds, in a row or at once", async () => {
    const home = newNetwork();
    const { email } = await ownerAt(home);
    for (let i = 0; i < 2 * LIMIT; i += 1) {
      const { status, headers } = await signIn(home, email, PASSWORD);
      expect(status).toBe(200);
      expect(headers.get("x-ratelimit-remaining")).toBe(String(LIMIT));
    }
    const crowd = Array.from({ length: 5 * LIMIT }, () => signIn(home, email, PASSWORD));
    for (const { status } of await Promise.all(crowd)) expect(status).toBe(200);
  });

  test("RATE_LIMIT_AUTH takes no more failures of guesses that come at once", async () => {
    const email = newEmail();
    const guesses = Array.from({ length: 5 * LIMIT }, () => guess(newNetwork(), email));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(LIMIT);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4 * LIMIT);
  });

  test("RATE_LIMIT_AUTH tells how many failures are left, and when the budget is whole again", async () => {
    const [network, email] = [newNetwork(), newEmail()];
    for (let left = LIMIT - 1; left >= 0; left -= 1) {
      const { status, headers } = await guess(network, email);
      expect(status).toBe(401);
      expect(headers.get("x-ratelimit-limit")).toBe(String(LIMIT));
      expect(headers.get("x-ratelimit-remaining")).toBe(String(left));
    }
    const { headers } = await guess(network, email);
    expect(headers.get("x-ratelimit-remaining")).toBe("0");
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(800);
    expect(headers.get("x-ratelimit-reset")).toBe(headers.get("retry-after"));
  });

  test("RATE_LIMIT_AUTH gives whoever is signed in, by token or cookie, no budget of their own for guesses", async () => {
    const victim = newEmail();
    const answers = [];
    for (let i = 0; i <= LIMIT; i += 1) {
      const { token } = await (await ownerAt(newNetwork())).signIn();
      const headers: Headers =
        i % 2 === 0 ? { authorization: `Bearer ${token}` } : { cookie: `session=${token}` };
      answers.push((await guess(newNetwork(), victim, headers)).status);
    }
    expect(answers).toEqual([...Array(LIMIT).fill(401), 429]);
  });

  test("RATE_LIMIT_AUTH counts a network's failures whoever is signed in, and forgets none for a success", async () => {
    const network = newNetwork();
    const { email } = await ownerAt(network);
    for (let i = 0; i < LIMIT; i += 1) {
      expect((await guess(network, newEmail())).status).toBe(401);
      if (i < LIMIT - 1) expect((await signIn(network, email, PASSWORD)).status).toBe(200);
    }
    expectRefusal(await guess(network, newEmail()), "RATE_LIMIT_EXCEEDED");
  });

  test("RATE_LIMIT_AUTH counts no request that is not understood", async () => {
    const network = newNetwork();
    for (let i = 0; i < 2 * LIMIT; i += 1) {
      const body = { email: "a@example.org" };
      const answer = await guest().send("POST", "/api/auth/login", body, from(network));
      expectRefusal(answer, "VALIDATION_ERROR", "password");
    }
    expect((await guess(network, newEmail())).status).toBe(401);
  });
});

describe("an account that others try", () => {
  test("an account that others try is open to its owner where the account has signed in before, and nowhere else", async () => {
    const home = newNetwork();
    const { email } = await ownerAt(home);
    await spendAccount(email);
    expect((await signIn(home, email, PASSWORD)).status).toBe(200);
    expect((await signIn(home.replace("::1", "::2"), email, PASSWORD)).status).toBe(200);
    expectRefusal(await signIn(newNetwork(), email, PASSWORD), "RATE_LIMIT_EXCEEDED");
  });

  test("an account that others try is open to its owner also where the network's own budget is spent", async () => {
    const home = newNetwork();
    const { email } = await ownerAt(home);
    for (let i = 0; i < LIMIT; i += 1) expect((await guess(home, email)).status).toBe(401);
    expectRefusal(await guess(home, email), "RATE_LIMIT_EXCEEDED");
    expect((await signIn(home, email, PASSWORD)).status).toBe(200);
  });

  test("an account that others try is guessed from a known network within a bound as well", async () => {
    const home = newNetwork();
    const { email } = await ownerAt(home);
    await spendAccount(email);
    for (let i = 0; i < LIMIT; i += 1) {
      expectRefusal(await guess(home, email), "RATE_LIMIT_EXCEEDED");
    }
    expectRefusal(await signIn(home, email, PASSWORD), "RATE_LIMIT_EXCEEDED");
  });

  test("an account that others try can be recovered by mail from anywhere, and then signed in to from there", async () => {
    const { id, email } = await ownerAt(newNetwork());
    await spendAccount(email);
    const away = newNetwork();
    const asked = { email };
    const forgot = await guest().send("POST", "/api/auth/forgot-password", asked, from(away));
    expect(forgot.status).toBe(200);
    const reset = { token: await resetTokenOf(service, id), newPassword: `${PASSWORD} anew` };
    const done = await guest().send("POST", "/api/auth/reset-password", reset, from(away));
    expect(done.status).toBe(200);
    expect((await signIn(away, email, reset.newPassword)).status).toBe(200);
  });
});

describe("change-password", () => {
  test("change-password counts a wrong current password as a failure of the caller's account alone", async () => {
    const home = newNetwork();
    const { email, signIn: signedIn } = await ownerAt(home);
    const { client } = await signedIn();
    const other = newEmail();
    const change = (currentPassword: string) => {
      const body = { currentPassword, newPassword: `${PASSWORD} anew`, email: other };
      return client.send("POST", "/api/auth/change-password", body, from(newNetwork()));
    };
    for (let i = 0; i < LIMIT; i += 1) expect((await change("a guess")).status).toBe(401);
    expectRefusal(await change(PASSWORD), "RATE_LIMIT_EXCEEDED");
    expectRefusal(await signIn(newNetwork(), email, PASSWORD), "RATE_LIMIT_EXCEEDED");
    expect((await guess(newNetwork(), other)).status).toBe(401);
    const body = { currentPassword: PASSWORD, newPassword: `${PASSWORD} anew` };
    const atHome = await client.send("POST", "/api/auth/change-password", body, from(home));
    expect(atHome.status).toBe(200);
  });

  test("change-password is not answered again as too often by its Idempotency-Key", async () => {
    const home = newNetwork();
    const { email, signIn: signedIn } = await ownerAt(home);
    const { client } = await signedIn();
    await spendAccount(email);
    const body = { currentPassword: PASSWORD, newPassword: `${PASSWORD} anew` };
    const key = { "idempotency-key": randomUUID() };
    const send = (network: string) =>
      client.send("POST", "/api/auth/change-password", body, { ...from(network), ...key });
    expectRefusal(await send(newNetwork()), "RATE_LIMIT_EXCEEDED");
    expect((await send(home)).status).toBe(200);
  });
});

test("registrations and requests for a reset count one by one, apart from sign-ins", async () => {
  const network = newNetwork();
  const ask = (email: string) =>
    guest().send("POST", "/api/auth/forgot-password", { email }, from(network));
  for (let i = 0; i < LIMIT; i += 1) expect((await ask(newEmail())).status).toBe(200);
  expectRefusal(await ask(newEmail()), "RATE_LIMIT_EXCEEDED");
  const form = { name: "Ana", email: newEmail(), password: PASSWORD };
  const refused = await guest().send("POST", "/api/auth/register", form, from(network));
  expectRefusal(refused, "RATE_LIMIT_EXCEEDED");
  expect((await guess(network, newEmail())).status).toBe(401);
});

test("requests for a reset by strangers do not lock the owner out of his own network", async () => {
  const home = newNetwork();
  const { email } = await ownerAt(home);
  const ask = (network: string) =>
    guest().send("POST", "/api/auth/forgot-password", { email }, from(network));
  for (let i = 0; i < LIMIT; i += 1) expect((await ask(newNetwork())).status).toBe(200);
  expectRefusal(await ask(newNetwork()), "RATE_LIMIT_EXCEEDED");
  const answer = await ask(home);
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([200, null]);
  const unknown = newEmail();
  for (let i = 0; i < LIMIT; i += 1) {
    const asked = guest().send(
      "POST",
      "/api/auth/forgot-password",
      { email: unknown },
      from(newNetwork()),
    );
    expect((await asked).status).toBe(200);
  }
  const last = await guest().send(
    "POST",
    "/api/auth/forgot-password",
    { email: unknown },
    from(home),
  );
  expectRefusal(last, "RATE_LIMIT_EXCEEDED");
});

test("the networks of a user are kept as hashes, and go with the user", async () => {
  const home = newNetwork();
  const { id, email } = await ownerAt(home);
  const { id: neighbour } = await ownerAt(home);
  await signIn(home, email, PASSWORD);
  const kept = (userId: string) =>
    withClient(service.databaseUrl, async (db) => {
      const text = "select network from vault.known_networks where user_id = $1";
      return (await db.query<{ network: Buffer }>(text, [userId])).rows;
    });
  const [own, ...others] = await kept(id);
  expect(others).toEqual([]);
  expect(own?.network).toHaveLength(32);
  expect(await kept(neighbour)).not.toContainEqual(own);
  await (await service.loginAs("admin")).send("DELETE", `/api/users/${id}`);
  expect(await kept(id)).toEqual([]);
});

describe("behind a proxy, RATE_LIMIT_AUTH", () => {
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
});

const bySecret = (network: string, authorization = "Bearer eqc_guessed") =>
  guest().get("/api/catalogues", { authorization, ...from(network) });

test("a network that guesses secrets is slowed down; good tokens, sessions and other networks are not", async () => {
  const address = newNetwork();
  for (let i = 0; i < LIMIT; i += 1) {
    const authorization = i % 2 === 0 ? "Bearer eqc_guessed" : basic("eqc_guessed");
    expectRefusal(await bySecret(address, authorization), "UNAUTHENTICATED", "not known");
  }
  const spent = await bySecret(address);
  expectRefusal(spent, "RATE_LIMIT_EXCEEDED");
  expect(Number(spent.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await bySecret(newNetwork())).status).toBe(401);
  const { client } = await (await ownerAt(newNetwork())).signIn();
  const { secret } = await newAccessToken(client);
  const here = { "x-forwarded-for": address };
  const good = { authorization: `Bearer ${secret}`, ...here };
  expect((await guest().get("/api/users", good)).status).toBe(403);
  expect((await client.get("/api/tokens", here)).status).toBe(200);
});

test("a token that has ended is told so however often it is sent", async () => {
  const home = newNetwork();
  const { client } = await (await ownerAt(home)).signIn();
  const { id, secret } = await newAccessToken(client);
  await client.send("DELETE", `/api/tokens/${id}`);
  for (let i = 0; i < 2 * LIMIT; i += 1) {
    expectRefusal(await bySecret(home, `Bearer ${secret}`), "UNAUTHENTICATED", "ended");
  }
});

test("X-Forwarded-For is not believed without TRUST_PROXY, and a limit of 0 limits nothing", async () => {
  for (const rateLimitAuthPer15Minutes of [LIMIT, 0]) {
    const login = async () => {
      throw new Refusal("UNAUTHENTICATED");
    };
    const app = await buildBareApp({ login }, { config: { rateLimitAuthPer15Minutes } });
    const payload = { email: newEmail(), password: "a guess" };
    for (let i = 0; i < 5 * LIMIT; i += 1) {
      const headers = from(`198.51.100.${i}`);
      const answer = await app.inject({ method: "POST", url: "/api/auth/login", headers, payload });
      const isOver = rateLimitAuthPer15Minutes > 0 && i >= LIMIT;
      expect([i, answer.statusCode]).toEqual([i, isOver ? 429 : 401]);
      if (isOver) expect(answer.headers["cache-control"]).toBe("no-store");
      if (rateLimitAuthPer15Minutes === 0)
        expect(answer.headers).not.toHaveProperty("x-ratelimit-limit");
    }
    await app.close();
  }
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
  const limits = { read: 1, clients: 1, parts: 1, write: 1, auth: 1 };
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

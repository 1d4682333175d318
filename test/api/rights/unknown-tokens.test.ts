import { expect, test } from "vitest";
import { basic, newAccessToken } from "../../support/api/access-tokens.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";

const LIMIT = 3;
const service = useService({ RATE_LIMIT_AUTH: String(LIMIT), TRUST_PROXY: "true" });
const guest = () => createApiClient(service.url);

function guess(address: string, authorization = "Bearer eqc_guessed") {
  return guest().get("/api/catalogues", { authorization, "x-forwarded-for": address });
}

test("a network that guesses secrets is slowed down; good tokens, sessions and other networks are not", async () => {
  const address = "198.51.100.7";
  for (let i = 0; i < LIMIT; i += 1) {
    const authorization = i % 2 === 0 ? "Bearer eqc_guessed" : basic("eqc_guessed");
    expectRefusal(await guess(address, authorization), "UNAUTHENTICATED", "not known");
  }
  const spent = await guess(address);
  expectRefusal(spent, "RATE_LIMIT_EXCEEDED");
  expect(Number(spent.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await guess("198.51.100.8")).status).toBe(401);
  const { signIn } = await newAccount(service, "viewer");
  const { client } = await signIn();
  const { secret } = await newAccessToken(client);
  const here = { "x-forwarded-for": address };
  const good = { authorization: `Bearer ${secret}`, ...here };
  expect((await guest().get("/api/users", good)).status).toBe(403);
  expect((await client.get("/api/tokens", here)).status).toBe(200);
});

test("a token that has ended is told so however often it is sent", async () => {
  const { signIn } = await newAccount(service, "viewer");
  const { client } = await signIn();
  const { id, secret } = await newAccessToken(client);
  await client.send("DELETE", `/api/tokens/${id}`);
  for (let i = 0; i < 2 * LIMIT; i += 1) {
    expectRefusal(await guess("198.51.100.9", `Bearer ${secret}`), "UNAUTHENTICATED", "ended");
  }
});

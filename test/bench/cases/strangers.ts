import { strict as assert } from "node:assert";
import { randomUUID } from "node:crypto";
import { createApiClient, sessionToken } from "../../support/api-client.ts";
import { type BenchService, catalogueOf } from "../../support/bench-service.ts";
import { openHttpConnection } from "../asking.ts";
import { beside, eitherWay, inTurn, type Result, secondsOf, spreadOf } from "../measure.ts";

/** Either way of telling the two apart would tell a stranger something. */
const TARGETS = { address: 1.1, id: 1.05 };
const EVENTS = 10_000;
/** Rounds before the first that counts: V8 compiles what is hot. */
const WARM_UP = 10;
/** Of each side in a round, so that a round is longer than what else the machine does. */
const AT_ONCE = 20;

/** What a stranger may try with an id, by its name in the table. */
const TRIED: Readonly<Record<string, string>> = {
  "its fields": "/api/catalogues/{id}",
  "a page of events": "/api/catalogues/{id}/events?pagination=cursor&limit=50",
  "an export": "/api/catalogues/{id}/export?format=csv",
  "its versions": "/api/catalogues/{id}/versions",
  "the record of a version": "/api/catalogues/{id}/versions/1",
  "a query of the event service": "/api/catalogues/{id}/fdsnws/event/1/query?format=text",
  "items of OGC API": "/api/ogc/collections/{id}/items",
  "its feed": "/api/catalogues/{id}/feed",
  "the feed of several": "/api/feed?catalogue={id}",
};

/**
 * What a stranger learns by the time of an answer: whether an address has an account, and whether an id is of
 * a restricted catalogue or nobody's.
 */
export async function benchStrangers(
  bench: BenchService,
  tries: Readonly<Record<"logins" | "forgotten" | "ids", number>>,
): Promise<Result[]> {
  const { url, client, knownEmail } = bench;
  const guest = createApiClient(url);
  const results: Result[] = [];
  for (const [path, count] of [
    ["/api/auth/login", tries.logins],
    ["/api/auth/forgot-password", tries.forgotten],
  ] as const) {
    const milliseconds = async (email: string): Promise<number> => {
      const form = { email, password: "not the password" };
      return 1_000 * (await secondsOf(() => guest.send("POST", path, form)));
    };
    const comparison = await inTurn(
      count,
      0,
      () => milliseconds(knownEmail),
      (i) => milliseconds(`nobody-${i}@example.org`),
    );
    const named = [`POST ${path}, known address`, `${count} tries`, "ms"] as const;
    results.push(beside(named, ["unknown address", TARGETS.address], eitherWay(comparison)));
  }

  const restricted = await catalogueOf(client, EVENTS);
  await client.send("PATCH", `/api/catalogues/${restricted}`, { access: "restricted" });
  const connection = openHttpConnection(url);
  const headers = { authorization: `Bearer ${await strangersToken(url)}` };
  for (const [name, path] of Object.entries(TRIED)) {
    const milliseconds = async (id: string): Promise<number> => {
      const times: number[] = [];
      for (let i = 0; i < AT_ONCE; i += 1) {
        const started = performance.now();
        const { status } = await connection.ask("GET", path.replace("{id}", id), headers);
        times.push(performance.now() - started);
        assert.equal(status, 404, path);
      }
      return spreadOf(times).median;
    };
    const nobodys = randomUUID();
    const comparison = await inTurn(
      tries.ids,
      WARM_UP,
      () => milliseconds(restricted),
      () => milliseconds(nobodys),
    );
    const named = [`404 to a stranger: ${name}`, "a restricted id", "ms"] as const;
    results.push(beside(named, ["an id that nobody has", TARGETS.id], eitherWay(comparison)));
  }
  connection.close();
  return results;
}

async function strangersToken(url: string): Promise<string> {
  const account = { email: `${randomUUID()}@example.org`, password: "only for the benchmark" };
  await createApiClient(url).send("POST", "/api/auth/register", { name: "Stranger", ...account });
  return sessionToken(url, account);
}

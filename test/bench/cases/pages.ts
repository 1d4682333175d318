import { strict as assert } from "node:assert";
import type { ApiClient } from "../../support/api-client.ts";
import type { BenchService } from "../bench-service.ts";
import { compare } from "../compare.ts";
import { startBareRoute } from "../reading/bare-route.ts";
import { load, rateOf } from "../reading/load.ts";
import type { Result } from "../report.ts";

/** Requests in one round, by how many clients ask at once. */
const CLIENTS = [
  { clients: 1, requests: 300 },
  { clients: 32, requests: 1_500 },
] as const;
const PAGE = 50;
const PAGES = 200;
const TARGET = 1.6;

type Answer = { readonly pagination: { readonly nextCursor: string | null } };

/**
 * Pages of 50 by cursor, asked for by somebody who is signed in, against a bare Fastify route that
 * gives the very same answers.
 */
export async function benchPages(
  { url, client, token, databaseUrl, shared }: BenchService,
  events: number,
  rounds: number,
): Promise<Result[]> {
  const catalogue = await shared.of(events);
  const cursors = await cursorsOf(client, catalogue.id);
  const bare = await startBareRoute(databaseUrl, catalogue);
  const ours = {
    url,
    paths: cursors.map((cursor) => `/api/catalogues/${catalogue.id}/events?cursor=${cursor}`),
    headers: { authorization: `Bearer ${token}` },
  };
  const yardstick = {
    url: bare.url,
    paths: cursors.map((cursor) => `/page?cursor=${cursor}`),
    headers: {},
  };
  for (const i of cursors.keys()) {
    assert.equal(await textOf(ours, i), await textOf(yardstick, i));
  }
  const results: Result[] = [];
  for (const { clients, requests } of CLIENTS) {
    const rates = await compare(rounds, async () => [
      rateOf(await load({ ...ours, clients, requests })),
      rateOf(await load({ ...yardstick, clients, requests })),
    ]);
    results.push({
      case: `page of ${PAGE} by cursor, ${clients === 1 ? "one client" : `${clients} clients`}`,
      size: `${events} events`,
      unit: "/s",
      yardstick: "bare Fastify and pg",
      ...rates,
      // Of rates the greater is the better.
      ratio: 1 / rates.ratio,
      target: TARGET,
    });
  }
  await bare.close();
  return results;
}

/** Cursors of the pages after the first. */
async function cursorsOf(client: ApiClient, id: string): Promise<string[]> {
  const cursors: string[] = [];
  let at = `pagination=cursor&limit=${PAGE}`;
  while (cursors.length < PAGES) {
    const { body } = await client.get<Answer>(`/api/catalogues/${id}/events?${at}`);
    const { nextCursor } = body.pagination;
    if (nextCursor === null) throw new Error("the catalogue has too few pages");
    cursors.push(nextCursor);
    at = `cursor=${nextCursor}`;
  }
  return cursors;
}

type Side = { url: string; paths: readonly string[]; headers: Record<string, string> };

async function textOf({ url, paths, headers }: Side, i: number): Promise<string> {
  return (await fetch(new URL(paths[i] ?? "", url), { headers })).text();
}

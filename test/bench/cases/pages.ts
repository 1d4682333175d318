import { strict as assert } from "node:assert";
import type { ApiClient } from "../../support/api-client.ts";
import type { BenchService } from "../../support/bench-service.ts";
import { clientsOf, ratesOf, textOf } from "../asking.ts";
import { beside, type Result } from "../measure.ts";
import { startBareService } from "../yardsticks.ts";

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
  const { id, key, version } = catalogue;
  const bare = await startBareService("page", [databaseUrl, id, key, version]);
  const base = `/api/catalogues/${id}/events?cursor=`;
  const headers = { authorization: `Bearer ${token}` };
  const ours = { url, paths: cursors.map((cursor) => base + cursor), headers };
  const paths = cursors.map((cursor) => `/page?cursor=${cursor}`);
  const yardstick = { url: bare.url, paths, headers: {} };
  for (const i of cursors.keys()) {
    assert.equal(await textOf(ours, i), await textOf(yardstick, i));
  }
  const results: Result[] = [];
  for (const task of CLIENTS) {
    results.push(
      beside(
        [`page of ${PAGE} by cursor, ${clientsOf(task.clients)}`, `${events} events`, "/s"],
        ["bare Fastify and pg", TARGET],
        await ratesOf(() => [ours, yardstick], rounds, task),
      ),
    );
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

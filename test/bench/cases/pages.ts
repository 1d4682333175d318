import { strict as assert } from "node:assert";
import type { ApiClient } from "../../support/api-client.ts";
import type { BenchService } from "../../support/bench-service.ts";
import { clientsOf, openAsking, ratesOf, textOf } from "../asking.ts";
import { beside, compare, p99, type Result, within } from "../measure.ts";
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
        await ratesOf(ours, yardstick, rounds, task),
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

const LIMIT_MS = 10;
const FIRST_LIMIT_MS = 50;
/** Where the pages lie, as parts of the way from the newest event to the oldest. */
const PLACES = [0.01, 0.25, 0.5, 0.75, 1];

type NumberedPage = { readonly events: readonly { readonly id: string }[] };

/**
 * Pages of 50 by number, wherever they lie: when each is first asked for, and from then on, in turn with the
 * others.
 */
export async function benchPageByNumber(
  { url, token, database, shared }: BenchService,
  events: number,
  repetitions: number,
): Promise<Result[]> {
  const { id, key } = await shared.of(events);
  const asking = openAsking(url, token);
  const pages = PLACES.map((place) => ({
    page: Math.round((place * events) / PAGE),
    times: [] as number[],
  }));
  for (let i = 0; i <= repetitions; i += 1) {
    for (const { page, times } of pages) {
      const path = `/api/catalogues/${id}/events?page=${page}&pageSize=${PAGE}`;
      const { body, milliseconds } = await asking.ask(path);
      times.push(milliseconds);
      if (i > 0) continue;
      const answer: NumberedPage = JSON.parse(body.toString());
      assert.deepEqual(
        answer.events.map((event) => event.id),
        await idsOf(page),
      );
    }
  }
  asking.close();

  async function idsOf(page: number): Promise<string[]> {
    const { rows } = await database.query<{ event_id: string }>(
      `select event_id from read_model.seismic_events where catalogue_key = $1
       order by time desc, event_id desc limit ${PAGE} offset $2`,
      [key, (page - 1) * PAGE],
    );
    return rows.map((row) => row.event_id);
  }

  const size = `${events} events`;
  return pages.flatMap(({ page, times: [first = Number.NaN, ...later] }) => [
    within([`page ${page} by number, for the first time`, size, "ms"], FIRST_LIMIT_MS, [first]),
    within([`page ${page} by number`, size, "ms"], LIMIT_MS, later),
  ]);
}

const STRIDE = 1_000;
const ROUNDS = 5;
const CURSOR_DEPTH_TARGET = 1.2;

type DeepPage = {
  readonly events: readonly { readonly time: string }[];
  readonly pagination: { readonly nextCursor: string };
};

/**
 * The 99th percentile of a page of 50 far into a walk by cursor against that of its first page, asked
 * for in turn.
 */
export async function benchCursorDepth(
  { url, token, client, shared }: BenchService,
  events: number,
  page: number,
  repetitions: number,
): Promise<Result> {
  const { id } = await shared.of(events);
  const path = `/api/catalogues/${id}/events`;
  const first = `${path}?pagination=cursor&limit=${PAGE}`;
  const deep = `${path}?cursor=${await cursorAt((page - 1) * PAGE)}&limit=${PAGE}`;
  const [{ body: expected }, { body: found }] = [
    await client.get<DeepPage>(`${path}?pageSize=${PAGE}&page=${page}`),
    await client.get<DeepPage>(deep),
  ];
  if (JSON.stringify(found.events) !== JSON.stringify(expected.events)) {
    throw new Error(`the walk has not come to page ${page}`);
  }

  /** Walked there in larger steps: it is the place that counts. */
  async function cursorAt(skipped: number): Promise<string> {
    let at = "pagination=cursor";
    for (let left = skipped; left > 0; left -= STRIDE) {
      const limit = Math.min(left, STRIDE);
      const { body } = await client.get<DeepPage>(`${path}?${at}&limit=${limit}`);
      at = `cursor=${body.pagination.nextCursor}`;
    }
    return at.slice("cursor=".length);
  }

  const asking = openAsking(url, token);
  const milliseconds = async (asked: string) => (await asking.ask(asked)).milliseconds;
  const comparison = await compare(ROUNDS, async () => {
    const [ofDeep, ofFirst]: [number[], number[]] = [[], []];
    for (let i = 0; i < repetitions; i += 1) {
      ofDeep.push(await milliseconds(deep));
      ofFirst.push(await milliseconds(first));
    }
    return [p99(ofDeep), p99(ofFirst)];
  });
  asking.close();
  return beside(
    [`page ${page} by cursor, p99`, `${events} events`, "ms"],
    ["page 1", CURSOR_DEPTH_TARGET],
    comparison,
  );
}

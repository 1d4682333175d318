import { setTimeout as delay } from "node:timers/promises";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { sleep } from "#infra/kernel/backoff.ts";
import { type ApiClient, createApiClient } from "../support/api-client.ts";
import { type AppliedFeed, appliedLine, createAppliedFeed } from "../support/applied-feed.ts";
import { type FeedClient, followEvents } from "../support/feed-client.ts";
import type { Ledger } from "./ledger.ts";

/** Catalogues followed at once. */
const FOLLOWED = 5;
/** Longest life of a client; killed, the next one goes on at any gateway. */
const LIFE_MS = 2_000;
const PAUSE_MS = 100;
const CAUGHT_UP_MS = 120_000;

export type FeedFollowers = {
  /** How often a client was killed. */
  readonly killed: () => number;
  /** Follows to the end, and compares. @returns what was lost, came twice or is wrong */
  readonly check: () => Promise<string[]>;
};

export type FollowersDeps = {
  readonly gateways: () => readonly string[];
  readonly random: () => number;
  readonly ledger: Pick<Ledger, "catalogues" | "deleted">;
  /** Of the administrator. */
  readonly token: string;
};

/**
 * Clients of the feeds of some catalogues, from their first version on. They are killed again and again
 * until `signal` aborts; each goes on after the last message that the one before has had.
 */
export function followFeeds(deps: FollowersDeps, signal: AbortSignal): FeedFollowers {
  const followed = new Map<string, AppliedFeed>();
  let killed = 0;

  async function live(id: string, applied: AppliedFeed, lifeMs: number): Promise<void> {
    const { gateways, random, token } = deps;
    const urls = gateways();
    const url = urls[Math.floor(random() * urls.length)];
    if (url === undefined) return;
    const dying = AbortSignal.timeout(Math.ceil(lifeMs));
    const address = `${url}/api/catalogues/${id}/feed?control=true`;
    const headers = { token, "last-event-id": applied.lastId() };
    const client = await followEvents(address, headers, dying).catch(() => null);
    if (client !== null) await take(client, applied);
    killed += 1;
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      const id = [...deps.ledger.catalogues.keys()].find((each) => !followed.has(each));
      if (id === undefined) {
        await sleep(PAUSE_MS, signal);
        continue;
      }
      const applied = createAppliedFeed();
      followed.set(id, applied);
      while (!signal.aborted && !deps.ledger.deleted.has(id)) {
        await live(id, applied, deps.random() * LIFE_MS);
        await sleep(PAUSE_MS, signal);
      }
    }
  }

  const running = Promise.all(Array.from({ length: FOLLOWED }, follow));
  return {
    killed: () => killed,
    async check() {
      await running;
      const wrong: string[] = [];
      for (const [id, applied] of followed) {
        const found = deps.ledger.deleted.has(id) ? [] : await compare(id, applied);
        wrong.push(...[...applied.faults, ...found].map((what) => `feed of ${id}: ${what}`));
      }
      return wrong;
    },
  };

  async function compare(id: string, applied: AppliedFeed): Promise<string[]> {
    const client = createApiClient(deps.gateways()[0] ?? "", deps.token);
    const { body } = await client.get<{ version: number }>(`/api/catalogues/${id}`);
    const deadline = Date.now() + CAUGHT_UP_MS;
    while (applied.version() < body.version) {
      if (Date.now() > deadline) return [`is at ${applied.version()} of ${body.version}`];
      await live(id, applied, LIFE_MS);
      await delay(PAUSE_MS);
    }
    const rows = await rowsOf(client, id, applied.version());
    if (rows.size !== applied.lines.size) return [`has ${applied.lines.size} of ${rows.size} rows`];
    return [...rows].flatMap(([event, row]) => {
      const line = applied.lines.get(event);
      return line === row ? [] : [`${event} is ${line}, not ${row}`];
    });
  }
}

async function take(client: FeedClient, applied: AppliedFeed): Promise<void> {
  for (let message = await client.next(); message !== null; message = await client.next()) {
    applied.apply(message);
  }
}

type Page = { events: SeismicEvent[]; pagination: { nextCursor: string | null } };

async function rowsOf(
  client: ApiClient,
  id: string,
  version: number,
): Promise<Map<string, string>> {
  const rows = new Map<string, string>();
  for (let place = `pagination=cursor&asOf=${version}`; place !== ""; ) {
    const { body } = await client.get<Page>(`/api/catalogues/${id}/events?limit=1000&${place}`);
    for (const event of body.events) rows.set(event.id, appliedLine(event));
    const { nextCursor } = body.pagination;
    place = nextCursor === null ? "" : `cursor=${nextCursor}`;
  }
  return rows;
}

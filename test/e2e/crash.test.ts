import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ApiClient } from "../support/api-client.ts";
import { generateEvents, randomOf } from "../support/generate-catalogue.ts";
import { settledCatalogues, useKilledService } from "./killed.ts";

const KILLS = 20;
/** In a part of the rounds PostgreSQL is killed too. */
const DATABASE_KILLED_EVERY = 4;
const EVENTS = 6_000;
const SEED = 20_161_113;
const TEST_TIMEOUT_MS = 600_000;

type Walked = { id: string; source_id: string; time: string; magnitude: number };
type Page = { events: Walked[]; pagination: { nextCursor: string | null } };

const service = useKilledService();

test(
  `the service loses nothing acknowledged and shows nothing half when killed ${KILLS} times`,
  async () => {
    const random = randomOf(SEED);
    const { client } = service;
    const edited = await create(client, "edited", 1);
    const createMs = await millisecondsOf(() => create(client, "measured", 2));
    const acknowledged = new Set([edited, "measured"]);
    const edits = { attempted: 0, acknowledged: 0 };
    const checked = new Set<string>();

    for (let round = 0; round < KILLS; round += 1) {
      const killAfterMs = random() * createMs * 1.5;
      const working = service.client;
      const name = `round ${round}`;
      const creating = create(working, name, 100 + round).then(
        () => acknowledged.add(name),
        () => null,
      );
      const editing = editUntilCutOff(working, edited, edits);
      await delay(killAfterMs);
      await service.kill(round % DATABASE_KILLED_EVERY === 0);
      await Promise.all([creating, editing]);

      await service.start();
      await verify(service.client, acknowledged, checked, edited, edits);
    }
    const written = acknowledged.size + edits.acknowledged;
    process.stdout.write(`${KILLS} kills, ${written} acknowledged writes, 0 lost\n`);
    expect(edits.acknowledged).toBeGreaterThan(0);
  },
  TEST_TIMEOUT_MS,
);

async function create(client: ApiClient, name: string, seed: number): Promise<string> {
  const events = [...generateEvents(seed, EVENTS)];
  const { status, body } = await client.send<{ id: string }>("POST", "/api/catalogues", {
    name,
    events,
  });
  expect(status).toBe(201);
  return body.id;
}

/** Changes one event again and again; each change is numbered, so that a lost one would show. */
async function editUntilCutOff(
  client: ApiClient,
  catalogueId: string,
  edits: { attempted: number; acknowledged: number },
): Promise<void> {
  try {
    const path = `/api/catalogues/${catalogueId}/events`;
    const page = await client.get<Page>(`${path}?pagination=cursor&limit=1`);
    const [event] = page.body.events;
    while (event) {
      edits.attempted += 1;
      const change = { edit: edits.attempted };
      const { status } = await client.send("PATCH", `${path}/${event.id}`, change);
      if (status === 200) edits.acknowledged = edits.attempted;
    }
  } catch {
    return;
  }
}

async function verify(
  client: ApiClient,
  acknowledged: ReadonlySet<string>,
  checked: Set<string>,
  edited: string,
  edits: { attempted: number; acknowledged: number },
): Promise<void> {
  const catalogues = await settledCatalogues(client);
  for (const name of acknowledged) {
    expect(catalogues.some((catalogue) => [catalogue.id, catalogue.name].includes(name))).toBe(
      true,
    );
  }
  for (const { id, name, status, event_count } of catalogues) {
    // Also what was not acknowledged is whole, or not there at all.
    expect({ name, status, event_count }).toEqual({ name, status: "active", event_count: EVENTS });
    if (checked.has(id)) continue;
    checked.add(id);
    expect(await walk(client, id)).toEqual(expectedEvents(name));
  }
  const { body } = await client.get<{ events: { extra: { edit: number } | null }[] }>(
    `/api/catalogues/${edited}/events?pageSize=1`,
  );
  const shown = body.events[0]?.extra?.edit ?? 0;
  expect(shown).toBeGreaterThanOrEqual(edits.acknowledged);
  expect(shown).toBeLessThanOrEqual(edits.attempted);
}

async function walk(client: ApiClient, id: string): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const place: string = cursor === null ? "pagination=cursor" : `cursor=${cursor}`;
    const { body } = await client.get<Page>(`/api/catalogues/${id}/events?limit=1000&${place}`);
    seen.push(
      ...body.events.map(({ source_id, time, magnitude }) => `${source_id} ${time} ${magnitude}`),
    );
    cursor = body.pagination.nextCursor;
  } while (cursor !== null);
  return seen.toSorted();
}

function expectedEvents(name: string): string[] {
  const round = /^round (\d+)$/.exec(name)?.[1];
  const seed = round === undefined ? { edited: 1, measured: 2 }[name] : 100 + Number(round);
  return [...generateEvents(seed ?? 0, EVENTS)]
    .map((event) => `${event["source_id"]} ${event["time"]} ${event["magnitude"]}`)
    .toSorted();
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

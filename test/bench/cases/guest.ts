import { strict as assert } from "node:assert";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pg";
import type { ApiClient } from "../../support/api-client.ts";
import { type BenchService, catalogueOf, startBenchService } from "../../support/bench-service.ts";
import { memoryOf, peakMemoryOf } from "../../support/process-figures.ts";
import { openAsking, smallGetsWhile } from "../asking.ts";
import { type Result, repeated, secondsOf, within } from "../measure.ts";

/** Requests a minute that a guest may make (RATE_LIMIT_READ). */
const RATE = 120;
const MEMORY_RISES_MIB = 200;
const EDITOR_SECONDS = 5;
const ENDED_SECONDS = 1;
const EDITOR_EVERY_MS = 10_000;
const JOB_EVENTS = 10;
const GUEST = { "x-forwarded-for": "192.0.2.1" };

/** What a guest asks, each time with another seed, so that nothing is known of it. */
const ASKED: readonly ((seed: number, main: string) => string)[] = [
  (seed) => `completeness?method=lilliefors&seed=${seed}`,
  (seed) => `b-value?bootstrap=1000&seed=${seed}`,
  (seed, main) => `omori?mainshock=${main}&end=${1_000 + seed / 1_000}`,
  (seed) => `nearest-neighbour?b=${1 + seed / 100_000}`,
];

type GuestSizes = {
  readonly events: number;
  readonly minutes: number;
  readonly idle: number;
};

/** One guest who asks for long analyses of a public catalogue as often as is allowed, and others beside him. */
export async function benchGuest({ events, minutes, idle }: GuestSizes): Promise<Result[]> {
  const bench = await startBenchService({ TRUST_PROXY: "true" });
  try {
    const [large, few] = [
      await catalogueOf(bench.client, events),
      await catalogueOf(bench.client, JOB_EVENTS),
    ];
    await bench.client.send("PATCH", `/api/catalogues/${large}`, { is_public: true });
    const before = await memoryOf(bench.pid);
    const size = `${events} events, ${minutes} min`;
    let figures = { editor: [] as number[], ended: 0 };
    let peak = 0;
    const small = `${bench.url}/api/catalogues/${large}`;
    const ofGets = await smallGetsWhile("a guest asks", size, small, idle, async () => {
      [peak, figures] = await peakMemoryOf(bench.pid, async () => {
        const guest = startGuest(bench.url, large, minutes);
        const editor = await editorsJobs(bench.client, few, guest.asking);
        guest.leave();
        return { editor, ended: await secondsOf(() => untilNothingWaits(bench)) };
      });
    });
    const named = ["memory that a guest's analyses take", size, "MiB"] as const;
    return [
      ofGets,
      within(named, MEMORY_RISES_MIB, [peak - before]),
      within(["an editor's small job beside a guest's", size, "s"], EDITOR_SECONDS, figures.editor),
      within(["a guest's analyses end when he leaves", size, "s"], ENDED_SECONDS, [figures.ended]),
    ];
  } finally {
    await bench.close();
  }
}

function startGuest(url: string, id: string, minutes: number) {
  const leaving = new AbortController();
  const main = "2010-01-01T00:00:00Z";
  const asking = (async () => {
    for (let seed = 1; seed <= minutes * RATE; seed += 1) {
      const path = ASKED[seed % ASKED.length]?.(seed, main);
      const asked = fetch(`${url}/api/catalogues/${id}/analytics/${path}`, {
        headers: GUEST,
        signal: leaving.signal,
      });
      asked.then((answer) => answer.body?.cancel()).catch(() => undefined);
      await delay(60_000 / RATE);
    }
  })();
  return { asking, leave: () => leaving.abort() };
}

/** Seconds that small jobs of an editor take, one after another, for as long as the guest asks. */
async function editorsJobs(
  client: ApiClient,
  id: string,
  asking: Promise<void>,
): Promise<number[]> {
  const seconds: number[] = [];
  let isOver = false;
  void asking.then(() => {
    isOver = true;
  });
  for (let i = 0; !isOver; i += 1) {
    const bodies = [
      [`/api/catalogues/${id}/analytics/decluster`, { method: "nearest-neighbour" }],
      [
        "/api/compare",
        { a: id, b: id, timeThreshold: 5, distanceThreshold: 5, eta: 1 + i / 1_000 },
      ],
    ] as const;
    for (const [path, body] of bodies) {
      const taken = await secondsOf(async () => {
        assert.equal((await client.send("POST", path, body)).status, 200);
      });
      seconds.push(taken);
    }
    await Promise.race([asking, delay(EDITOR_EVERY_MS)]);
  }
  return seconds;
}

const NOTHING = [
  /^answers_running\{kind="analyses"\} 0$/m,
  /^answers_waiting\{kind="analyses"\} 0$/m,
];

/** Until no analysis runs or waits, and no thread reads for one. */
async function untilNothingWaits({ url, database }: BenchService): Promise<void> {
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text();
    const { rows } = await database.query(
      "select from pg_stat_activity where application_name like '%decluster%'",
    );
    if (rows.length === 0 && NOTHING.every((pattern) => pattern.test(text))) return;
    await delay(20);
  }
}

const TARGET_MS = 2;
const WARM_UP = 100;
/** Of the table of events, which this case does not use: filling takes half the time without them. */
const OTHER_INDEXES = ["time", "magnitude", "place"];

type IdSizes = {
  readonly events: number;
  /** How many catalogues the reader may read, in turn; the events are spread over the most. */
  readonly catalogues: readonly number[];
  readonly asked: number;
};

/** The events of an id, in all catalogues that a guest may read. */
export async function benchIds({ events, catalogues, asked }: IdSizes): Promise<Result[]> {
  const bench = await startBenchService();
  try {
    const most = Math.max(...catalogues);
    await fill(bench.database, events, most);
    const results: Result[] = [];
    for (const count of catalogues) {
      await publish(bench.database, count);
      const figures = await answers(bench.url, asked, (i) => idAt(i, events, most, count));
      results.push(
        within(
          ["events of any id", `${2 * events} ids, ${count} catalogues to read`, "ms"],
          TARGET_MS,
          figures,
        ),
      );
    }
    return results;
  } finally {
    await bench.close();
  }
}

/** Event i lies in catalogue i % catalogues. */
async function fill(database: Client, events: number, catalogues: number): Promise<void> {
  for (const name of OTHER_INDEXES) {
    await database.query(`drop index read_model.seismic_events_${name}`);
  }
  await database.query(
    `insert into read_model.catalogues (key, id, name, is_public, created_by, created_at, updated_at,
       status, version, event_count)
     select 1000000 + i, gen_random_uuid(), 'ids', false, 'user_1_bench', now(), now(), 'active', 1, 0
     from generate_series(0, $1 - 1) i`,
    [catalogues],
  );
  await database.query(
    `insert into read_model.seismic_events (catalogue_key, revision_from, event_id, time, time_digits,
       latitude, longitude, source_id, extra)
     select key, 1, (left(id::text, 14) || '8' || substr(id::text, 16, 3) || '-8000-0001'
         || lpad(to_hex(i), 8, '0'))::uuid,
       timestamptz '2000-01-01' + i * interval '1 min', 0, i % 180 - 90, i % 360 - 180, 'ev' || i,
       json_build_object('public_id', 'smi:org.example/event/ev' || i)
     from generate_series(0, $1 - 1) i
     join read_model.catalogues on key = 1000000 + i % $2`,
    [events, catalogues],
  );
  await database.query("vacuum analyze read_model.seismic_events");
  await database.query("vacuum analyze read_model.catalogues");
}

async function publish(database: Client, count: number): Promise<void> {
  await database.query(
    `update read_model.catalogues set is_public = key < 1000000 + $1,
       public_from = case when key < 1000000 + $1 then 1 end where name = 'ids'`,
    [count],
  );
}

/** An id of an event of one of the first `count` catalogues: source ids and public ids in turn. */
function idAt(i: number, events: number, most: number, count: number): string {
  const row = ((i * 7_919) % Math.floor(events / most)) * most + (i % count);
  return i % 2 === 0 ? `ev${row}` : `smi:org.example/event/ev${row}`;
}

async function answers(url: string, asked: number, id: (i: number) => string): Promise<number[]> {
  const asking = openAsking(url);
  const figures = await repeated(asked, WARM_UP, async (i) => {
    const path = `/api/events/by-id/${encodeURIComponent(id(i + WARM_UP))}`;
    const { body, milliseconds } = await asking.ask(path);
    assert.equal(JSON.parse(body.toString()).events.length, 1);
    return milliseconds;
  });
  asking.close();
  return figures;
}

import { strict as assert } from "node:assert";
import { setTimeout as delay } from "node:timers/promises";
import type { ApiClient } from "../../support/api-client.ts";
import { type BenchService, catalogueOf, startBenchService } from "../../support/bench-service.ts";
import { memoryOf, peakMemoryOf } from "../../support/process-figures.ts";
import { smallGetsWhile } from "../asking.ts";
import { type Result, secondsOf, within } from "../measure.ts";

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

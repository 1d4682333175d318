import { setTimeout as delay } from "node:timers/promises";
import { catalogueOf, startBenchService } from "../../support/bench-service.ts";
import { memoryOf, peakMemoryOf } from "../../support/process-figures.ts";
import { smallGetsWhile } from "../asking.ts";
import { type Result, within } from "../measure.ts";

/** Requests a minute that a guest may make (RATE_LIMIT_READ). */
const RATE = 120;
const MEMORY_RISES_MIB = 200;
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

/** One guest who asks for long analyses of a public catalogue as often as is allowed, and small GETs beside him. */
export async function benchGuest({ events, minutes, idle }: GuestSizes): Promise<Result[]> {
  const bench = await startBenchService({ TRUST_PROXY: "true" });
  try {
    const large = await catalogueOf(bench.client, events);
    const path = `/api/catalogues/${large}`;
    await bench.client.send("PATCH", path, { is_public: true });
    const before = await memoryOf(bench.pid);
    const size = `${events} events, ${minutes} min`;
    let peak = 0;
    const small = bench.url + path;
    const ofGets = await smallGetsWhile(
      "a guest asks long analyses",
      size,
      small,
      idle,
      async () => {
        [peak] = await peakMemoryOf(bench.pid, () => askAnalyses(small, minutes));
      },
    );
    const named = ["memory that a guest's analyses take", size, "MiB"] as const;
    return [ofGets, within(named, MEMORY_RISES_MIB, [peak - before])];
  } finally {
    await bench.close();
  }
}

async function askAnalyses(address: string, minutes: number): Promise<void> {
  const leaving = new AbortController();
  const main = "2010-01-01T00:00:00Z";
  for (let seed = 1; seed <= minutes * RATE; seed += 1) {
    const path = ASKED[seed % ASKED.length]?.(seed, main);
    const asked = fetch(`${address}/analytics/${path}`, { headers: GUEST, signal: leaving.signal });
    asked.then((answer) => answer.body?.cancel()).catch(() => undefined);
    await delay(60_000 / RATE);
  }
  leaving.abort();
}

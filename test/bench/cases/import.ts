import type { ImportResult } from "#contracts/http/imports.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { againstCopy } from "../against-copy.ts";
import { startBenchAgency } from "../bench-agency.ts";
import { type BenchService, startBenchService } from "../bench-service.ts";
import { peakMemoryOf } from "../peak-memory.ts";
import type { Result } from "../report.ts";
import { secondsOf, spreadOf } from "../statistics.ts";

/** How much longer than the COPY an import may take: 0.3 and 0.2 of its rate. */
const TARGETS = { summary: 1 / 0.3, full: 1 / 0.2 } as const;
const FORMATS = { summary: "FDSN text", full: "QuakeML of 1 KB an event" } as const;
const PICKS = 25;
const MEMORY_TARGET_MIB = 400;
const LATENCY_TARGET = 5;
const IDLE_GETS = 1_000;
const EVERYTHING = { startDate: "2014-01-01", endDate: "2024-01-01" };

type Detail = keyof typeof TARGETS;

/**
 * Imports of `light` events until they are visible, against a COPY of the very rows; then the memory of
 * a service that imports `heavy` events with picks, and how long small GETs take meanwhile.
 */
export async function benchImport(
  light: number,
  heavy: number,
  repetitions: number,
): Promise<Result[]> {
  const rates = await withAgency(light, 0, (bench) => benchRates(bench, light, repetitions));
  const load = await withAgency(heavy, PICKS, (bench) => benchLoad(bench, heavy));
  return [...rates, ...load];
}

async function withAgency<T>(
  count: number,
  picks: number,
  use: (bench: BenchService) => Promise<T>,
): Promise<T> {
  const agency = await startBenchAgency(count, picks);
  const bench = await startBenchService({ AGENCY_URL: agency.url, AGENCY_NAME: "bench agency" });
  try {
    return await use(bench);
  } finally {
    await bench.close();
    await agency.close();
  }
}

async function benchRates(
  bench: BenchService,
  count: number,
  repetitions: number,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const detail of Object.keys(TARGETS) as Detail[]) {
    const make = () => importAll(bench.client, detail, count);
    results.push({
      case: `import of ${FORMATS[detail]} until visible`,
      size: `${count} events`,
      unit: "s",
      yardstick: "COPY of the same rows",
      ...(await againstCopy(bench, count, repetitions, make)),
      target: TARGETS[detail],
    });
  }
  return results;
}

async function benchLoad({ client, pid }: BenchService, count: number): Promise<Result[]> {
  const other = await client.send<{ id: string }>("POST", "/api/catalogues", {
    name: "another",
    events: [],
  });
  const get = () => client.get(`/api/catalogues/${other.body.id}`);
  const idle: number[] = [];
  for (let i = 0; i < IDLE_GETS; i += 1) idle.push(1000 * (await secondsOf(get)));
  const busy: number[] = [];
  const peak = await peakMemoryOf(pid, async () => {
    let isImporting = true;
    const importing = importAll(client, "full", count).finally(() => {
      isImporting = false;
    });
    while (isImporting) busy.push(1000 * (await secondsOf(get)));
    await importing;
  });
  const size = `${count} events with ${PICKS} picks`;
  return [
    {
      case: "peak memory of the service while importing",
      size,
      unit: "MiB",
      ours: spreadOf([peak]),
      yardstick: "what it may take",
      yardstickFigure: spreadOf([MEMORY_TARGET_MIB]),
      ratio: peak / MEMORY_TARGET_MIB,
      target: 1,
    },
    {
      case: "small GET while importing, p99",
      size,
      unit: "ms",
      ours: spreadOf([p99(busy)]),
      yardstick: "idle",
      yardstickFigure: spreadOf([p99(idle)]),
      ratio: p99(busy) / p99(idle),
      target: LATENCY_TARGET,
    },
  ];
}

async function importAll(client: ApiClient, detail: Detail, count: number): Promise<string> {
  const { status, body } = await client.send<ImportResult>("POST", "/api/import/agency", {
    ...EVERYTHING,
    detail,
  });
  if (status !== 200 || body.newEvents !== count) {
    throw new Error(`importing answered ${status} ${JSON.stringify(body)}`);
  }
  const page = await client.get<{ total: number }>(
    `/api/catalogues/${body.catalogueId}/events?pageSize=1`,
  );
  if (page.body.total !== count) throw new Error("what was imported is not visible");
  return body.catalogueId;
}

function p99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(0.99 * sorted.length)] ?? Number.NaN;
}

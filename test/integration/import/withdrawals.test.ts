import fc from "fast-check";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { ServiceDialect } from "#contracts/events/imports.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { createCircuitBreaker } from "#infra/agency/http/exchange.ts";
import { createRequestSlots, NOBODY } from "#infra/kernel/fair-queue.ts";
import { createImporter, type Importer } from "#services/imports/agencies.ts";
import type { ScheduledEnd, ScheduledRun } from "#services/imports/reading.ts";
import { type ImportRequest, runImport } from "#services/imports/run.ts";
import type { ImportEnd } from "#services/imports/worker.ts";
import { openGatewayThreads } from "#services/threads.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import type { ServedEvent } from "../../support/agency/served-catalogue.ts";
import { startTestAgency, type TestAgency } from "../../support/agency/test-agency.ts";
import { UNBOUNDED } from "../../support/agency/unbounded.ts";
import { newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { runs } from "../../support/runs.ts";

type RunOptions = Partial<Pick<ImportRequest, "filters" | "detail" | "updateExisting" | "window">> &
  Partial<ScheduledRun> & { readonly agencyId?: string };

const catalogues = useCatalogues();
/** It has its own tests; here it would end the runs. */
const breaker = createCircuitBreaker({ name: "agency", failures: 1_000 });
let threads: ReturnType<typeof openGatewayThreads>;
let importer: Importer;
beforeAll(() => {
  threads = openGatewayThreads(catalogues.databaseUrl);
  importer = createImporter(threads.threads.imports, () => ({
    breaker,
    slots: createRequestSlots(2),
  }));
});
afterAll(async () => {
  await threads.close();
  breaker.close();
});

/** Runs of a schedule, one after the other, without the scheduler: each begins with what the last one knew. */
function scheduledRuns(agency: TestAgency, dialect: ServiceDialect) {
  let catalogueId: string | null = null;
  let known: Uint8Array | null = null;
  let missed: ScheduledRun["missed"];

  return {
    catalogueId: () => catalogueId ?? "",
    async run(options: RunOptions = {}, isScheduled = true) {
      const { agencyId = "agency", updatedAfter = null, isThorough = false } = options;
      const scheduled: ScheduledRun = {
        updatedAfter,
        isThorough,
        known,
        missed,
        withdrawn: options.withdrawn ?? "remove",
        pushed: [],
      };
      let end: ScheduledEnd | undefined;
      const asScheduled: Importer = (task, run, use) =>
        importer(isScheduled ? { ...task, scheduled } : task, run, (running) =>
          use({
            chunks: running.chunks,
            end: async (): Promise<ImportEnd> => {
              const ended = await running.end();
              if (ended.outcome === "imported") end = ended.scheduled;
              return ended;
            },
          }),
        );
      const imported = await runImport(
        { context: catalogues.context, importer: asScheduled },
        newCommand(),
        {
          agency: {
            id: agencyId,
            name: "Agency",
            url: agency.url,
            dialect,
            requestsAtOnce: 2,
            userAgent: "test",
            timeoutMs: 60_000,
            retries: 0,
          },
          catalogueId,
          name: "kept current",
          window: options.window ?? { start: "2014-01-01T00:00:00Z", end: "2024-01-01T00:00:00Z" },
          filters: options.filters ?? UNBOUNDED,
          detail: options.detail ?? "full",
          updateExisting: options.updateExisting ?? true,
        },
        { ...NOBODY, onProgress: () => {} },
      );
      catalogueId = imported.catalogueId;
      known = end?.known ?? known;
      if (end?.isWhole) missed = end.withheld?.missed;
      return { ...imported, scheduled: end };
    },
  };
}

const EVENTS = [...servedEvents(11, 15)];
const [FIRST, , THIRD] = EVENTS as [ServedEvent, ServedEvent, ServedEvent];

async function useScene(dialect: ServiceDialect, events: readonly ServedEvent[] = EVENTS) {
  const agency = await startTestAgency({ dialect, rounded: false, events });
  onTestFinished(agency.close);
  return { agency, ...scheduledRuns(agency, dialect) };
}

type Row = {
  readonly id: string;
  readonly source_id: string | null;
  readonly magnitude: number | null;
  readonly extra: JsonObject | null;
};

async function rowsOf(catalogueId: string, sourceId?: string): Promise<Row[]> {
  const { rows } = await catalogues.projectorPool.query<Row>(
    `select e.event_id as id, source_id, magnitude, extra
     from read_model.seismic_events e
     join read_model.catalogues c on c.key = e.catalogue_key
     where c.id = $1 and revision_to is null and ($2::text is null or source_id = $2)`,
    [catalogueId, sourceId ?? null],
  );
  return rows;
}

const idOf = ({ row }: ServedEvent) => String(row["source_id"]);

/** The runs of an agency whose few events come and go; what each of them missed, by the events' places. */
type Presence = readonly boolean[];

/**
 * What a run withdraws and withholds, as it is promised, without what the service keeps.
 * @param runs all until this one, each with the events that the agency had
 * @param held what the catalogue has of the agency before it
 */
function promised(runs: readonly Presence[], held: ReadonlySet<number>) {
  const now = runs.at(-1) ?? [];
  const gone = [...held].filter((place) => now[place] !== true);
  const isMissedThrice = (place: number) =>
    runs.length >= 3 && runs.slice(-3).every((run) => run[place] !== true);
  const isFew = gone.length <= 3;
  const isBelieved = gone.length * 5 <= held.size;
  const withdrawn = gone.filter((place) => isBelieved || (isFew && isMissedThrice(place)));
  return { withdrawn, withheld: gone.length - withdrawn.length };
}

test.each(["remove", "mark"] as const)(
  "of an agency of few events, three or fewer go once three whole runs in a row have missed them, and come back (%s)",
  async (withdrawn) => {
    const few = EVENTS.slice(0, 6);
    const { agency, run, catalogueId } = await useScene("comcat", few);
    const anyRun = fc.array(fc.boolean(), { minLength: few.length, maxLength: few.length });
    const property = fc.asyncProperty(fc.array(anyRun, { maxLength: 9 }), async (lives) => {
      const all: Presence[] = [];
      const held = new Set<number>();
      const ids = new Map<string | null, string>();
      for (const presence of [few.map(() => true), ...lives]) {
        all.push(presence);
        const updateExisting = all.length % 2 === 0;
        for (const [place, event] of few.entries()) {
          agency.catalogue.replace(idOf(event), presence[place] ? event : null);
        }
        const expected = promised(all, held);
        for (const place of few.keys()) if (presence[place]) held.add(place);
        // What changed alone, and a run for another agency, decide nothing and forget nothing.
        await run({ withdrawn, updateExisting, updatedAfter: "2023-06-01T00:00:00Z" });
        const { tally } = await run({ withdrawn, updateExisting });
        expect(tally.withdrawnEvents ?? 0).toBe(expected.withdrawn.length);
        expect(tally.withheld ?? 0).toBe(expected.withheld);
        for (const place of expected.withdrawn) held.delete(place);
        const rows = await rowsOf(catalogueId());
        const there = rows.filter(({ extra }) => !extra?.["withdrawn_at"]);
        expect(there.map((row) => row.source_id).sort()).toEqual(
          [...held].map((place) => idOf(few[place] as ServedEvent)).sort(),
        );
        // What is marked keeps its id, also once it comes back without the mark.
        for (const { id, source_id } of rows) {
          if (withdrawn === "mark") expect(ids.get(source_id) ?? id).toBe(id);
          ids.set(source_id, id);
        }
      }
    });
    const [gone, back] = [few.map((_, place) => place > 0), few.map(() => true)];
    const examples: [Presence[]][] = [[[gone, back, back, gone, back]]];
    await fc.assert(property, { numRuns: 1 + runs(20, 1 / 20), examples });
  },
);

test("what is kept, of another agency, outside the window or the bounds, or changed alone is not withdrawn", async () => {
  const { agency, run, catalogueId } = await useScene("geonet");
  await run();
  agency.catalogue.replace(idOf(FIRST), null);
  const time = String(FIRST.row["time"]);
  const magnitude = Number(FIRST.row["magnitude"]);
  const unbounded = { minMagnitude: null, maxMagnitude: null, minDepth: null, maxDepth: null };
  const anywhere = { minLatitude: null, maxLatitude: null, minLongitude: null, maxLongitude: null };
  for (const options of [
    { withdrawn: "keep" },
    { agencyId: "another" },
    { updatedAfter: "2023-06-01T00:00:00Z" },
    {
      window: {
        start: new Date(Date.parse(time) - 30_000).toISOString(),
        end: "2024-01-01T00:00:00Z",
      },
    },
    { filters: { ...unbounded, ...anywhere, minMagnitude: magnitude + 0.5 } },
  ] as const) {
    expect((await run(options)).tally.withdrawnEvents).toBeUndefined();
  }
  expect(await rowsOf(catalogueId(), idOf(FIRST))).toHaveLength(1);
  expect((await run()).tally.withdrawnEvents).toBe(1);
});

test("a row without an id withdraws nothing: it may be any event", async () => {
  const nameless = { ...THIRD, row: { ...THIRD.row, source_id: "" } };
  const { agency, run, catalogueId } = await useScene("geonet");
  await run();
  agency.catalogue.replace(idOf(FIRST), null);
  agency.catalogue.replace(idOf(THIRD), nameless);
  const faulty = await run();
  expect(faulty.scheduled).toMatchObject({ isWhole: false, withdrawn: 0 });
  expect(await rowsOf(catalogueId())).toHaveLength(EVENTS.length);
});

test("an event that the agency calls otherwise keeps its event here, and its newest row the new id", async () => {
  const { agency, run, catalogueId } = await useScene("comcat", [
    { ...FIRST, row: { ...FIRST.row, source_id: "nc100" }, ids: ["nc100"] },
    ...EVENTS.slice(1),
  ]);
  await run();
  const [before] = await rowsOf(catalogueId(), "nc100");
  agency.catalogue.replace("nc100", {
    ...FIRST,
    row: { ...FIRST.row, source_id: "us200", magnitude: 5.5 },
    ids: ["us200", "nc100"],
    updatedMs: Date.parse("2023-01-01T00:00:00Z"),
  });
  const renaming = await run();
  expect(renaming).toMatchObject({ version: 2, tally: { newEvents: 0, updatedEvents: 1 } });
  expect(renaming.tally.withdrawnEvents).toBeUndefined();
  expect(await rowsOf(catalogueId(), "nc100")).toEqual([]);
  const [after] = await rowsOf(catalogueId(), "us200");
  expect(after).toMatchObject({ id: before?.id, magnitude: 5.5 });
  expect(await run({ isThorough: true })).toMatchObject({ version: 2 });
});

test("where an agency cannot tell what changed, three runs read all of it in full, and the last of them withdraws", async () => {
  const many = [...servedEvents(12, 160)];
  const { agency, run, catalogueId } = await useScene("seiscomp", many);
  expect((await run()).scheduled).toMatchObject({ isWhole: true });
  const byTime = many.toSorted((a, b) => (String(a.row["time"]) < String(b.row["time"]) ? -1 : 1));
  const [old, ...later] = byTime as [ServedEvent, ...ServedEvent[]];
  const [recent, gone] = later.splice(-2) as [ServedEvent, ServedEvent];
  // Its list has neither a status nor an uncertainty.
  const change = ({ row }: ServedEvent, members: JsonObject) =>
    agency.catalogue.replace(String(row["source_id"]), {
      row: { ...row, ...members },
      updatedMs: Date.parse("2023-06-01T00:00:00Z"),
    });
  change(old, { evaluation_status: "rejected" });
  change(recent, { magnitude_uncertainty: 0.125 });
  agency.catalogue.replace(idOf(gone), null);
  const ends: unknown[] = [];
  const asked: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    const before = agency.requests.length;
    const { tally, scheduled } = await run();
    ends.push([scheduled?.isWhole, tally.updatedEvents, tally.withdrawnEvents ?? 0]);
    asked.push(agency.requests.length - before);
  }
  expect(ends).toEqual([
    [false, 0, 0],
    [false, 0, 0],
    [true, 1, 2],
  ]);
  const there = await rowsOf(catalogueId());
  expect(there.map((row) => row.source_id).sort()).toEqual([...later, recent].map(idOf).sort());
  // The list, and its part of ten years.
  expect(Math.max(...asked)).toBeLessThan(8);
});

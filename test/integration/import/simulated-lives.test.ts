import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ImportFilters, ServiceDialect } from "#contracts/events/imports.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { createCircuitBreaker } from "#infra/agency/http/exchange.ts";
import { createRequestSlots } from "#infra/kernel/fair-queue.ts";
import { createPresence, type Presence } from "#infra/postgres/coordination.ts";
import { openThreads, type ThreadKind } from "#infra/threads/worker-threads.ts";
import { toIsoTime } from "#projections/read/copied-rows.ts";
import { listImports } from "#projections/read/imports.ts";
import { SERVICE } from "#projections/read/rights.ts";
import type { CommandContext } from "#services/context.ts";
import { createImporter } from "#services/imports/agencies.ts";
import {
  createScheduler,
  endRunsOfTheDead,
  endScheduleCommand,
  makeScheduleCommand,
  type Scheduler,
} from "#services/imports/schedules.ts";
import type * as imports from "#services/imports/worker.ts";
import { abandonRevisionsOfTheDead, createRevisionsInProgress } from "#services/revision.ts";
import { expectedAt } from "../../support/agency/life/oracle.ts";
import {
  type SimulatedAgency,
  startSimulatedAgency,
} from "../../support/agency/life/simulated-agency.ts";
import { UNBOUNDED } from "../../support/agency/unbounded.ts";
import { createdFrom, generatedRecords } from "../../support/catalogues/catalogue-scene.ts";
import {
  newCommand,
  type TestCatalogues,
  useCatalogues,
} from "../../support/catalogues/use-catalogues.ts";
import { silentLogger } from "../../support/logger.ts";
import { NO_REGIONS } from "../../support/no-regions.ts";
import { createRandom, type Random } from "../../support/random.ts";
import { runs } from "../../support/runs.ts";

/** Who made the schedules. */
const MAKER = "user_1_tester";

/** As a gateway's, but a run that is given up does not end its thread: starting one takes longer than a run. */
const THREADS = {
  imports: {
    entry: new URL("../../../services/imports/worker.ts", import.meta.url),
    queue: { running: 2, waiting: 64, waitingOfOne: 64, isOfOneCaller: true },
    heap: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
  } as ThreadKind<typeof imports>,
};

type AskedAgency = {
  readonly url: string;
  readonly dialect: ServiceDialect;
  /** Most events that it gives at once, where it says so. */
  readonly cap?: number;
};

/** A process of the service with a time of its own, beside others on the same database. */
type Lane = {
  readonly context: CommandContext;
  /** Its time, which it takes for the present. */
  readonly clock: { nowMs: number };
  /** Asked by the schedules that it runs. */
  readonly agency: { current: AskedAgency | null };
  readonly scheduler: (context?: CommandContext) => Scheduler;
  /** Ends what dead processes left open, as the service does from time to time. */
  readonly sweep: () => Promise<void>;
};

type LifeScene = {
  readonly catalogues: TestCatalogues;
  readonly lanes: readonly Lane[];
  /** The presence key of a process that is dead. */
  readonly deadWorker: () => string;
};

/** Schedules over a real database, and threads, in `count` processes with clocks of the test. */
function useLife(count: number): LifeScene {
  const catalogues = useCatalogues();
  const lanes: Lane[] = [];
  const closing: (() => unknown)[] = [];
  let deadWorker = "";
  beforeAll(async () => {
    const { databaseUrl } = catalogues;
    const threads = openThreads(THREADS, { databaseUrl });
    closing.push(threads.close);
    const dead = await createPresence(databaseUrl);
    deadWorker = dead.key;
    await dead.close();
    await catalogues.projectorPool.query(
      "insert into read_model.users values ($1, 'a@b.c', 'x', 'Ana', 'editor', true, true, now(), now())",
      [MAKER],
    );
    // It has its own tests; here it would end the runs.
    const breaker = createCircuitBreaker({ name: "agency", failures: 1_000_000 });
    closing.push(breaker.close);
    for (let i = 0; i < count; i += 1) {
      const presence = await createPresence(databaseUrl);
      closing.push(presence.close);
      const gate = { breaker, slots: createRequestSlots(2) };
      const importer = createImporter(threads.threads.imports, () => gate);
      lanes.push(laneOf(catalogues.context, presence, importer));
    }
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });
  return { catalogues, lanes, deadWorker: () => deadWorker };
}

function laneOf(
  shared: CommandContext,
  presence: Presence,
  importer: ReturnType<typeof createImporter>,
): Lane {
  const clock = { nowMs: 0 };
  const agency: Lane["agency"] = { current: null };
  const context: CommandContext = {
    ...shared,
    worker: presence.key,
    revisionsInProgress: createRevisionsInProgress(),
    now: () => new Date(clock.nowMs),
    newId: randomUUID,
  };
  const toSchedule = async (id = "simulated") => {
    if (agency.current === null) throw new Error("no agency lives");
    // A second try may wait for two minutes, where the agency asks for that; so the next run is the second try.
    const patience = { timeoutMs: 5_000, retries: 0, backoffMs: 1 };
    return { id, name: id, ...agency.current, ...patience, userAgent: "test", requestsAtOnce: 2 };
  };
  return {
    context,
    clock,
    agency,
    scheduler: (its = context) =>
      createScheduler({
        context: { ...its, lookups: its.pool },
        importer,
        messageImporter: importer,
        agencies: { toSchedule },
        regions: NO_REGIONS,
        presence,
        logger: silentLogger(),
        onOutcome: () => {},
        pollMs: null,
      }),
    async sweep() {
      // A lane makes one run at a time, which has ended.
      await endRunsOfTheDead(context, presence, () => false);
      await abandonRevisionsOfTheDead(context, presence);
    },
  };
}

/** Events of its catalogue that are no agency's. */
const OWN = 3;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Shorter than a life, so that events leave the window. */
const LOOKBACK_HOURS = 80 * 24;
/** Events are revised for weeks: runs see most of them before and after. */
const SPAN_MS = 100 * DAY;
const DIALECTS = ["fdsn", "geonet", "comcat", "seiscomp", "emsc", "isc"] as const;
const EVENTS = 36;
/** The precision of times in ISF. */
const ISF_MS = 10;
const STRONG: ImportFilters = { ...UNBOUNDED, minMagnitude: 2 };

/** A schedule, its agency, and the catalogue that it keeps current. */
type Subject = {
  readonly scene: LifeScene;
  readonly lane: Lane;
  readonly catalogueId: string;
  readonly scheduleId: string;
  readonly agency: SimulatedAgency;
  readonly withdrawn: "mark" | "remove" | "keep";
  readonly filters: ImportFilters;
  /** Milliseconds of its times. */
  readonly precision: number;
  readonly own: ReadonlySet<string>;
};

/** A subject from a seed, whose agency has no event yet. */
async function begin(scene: LifeScene, lane: Lane, seed: number, random: Random): Promise<Subject> {
  const dialect = random.pick(DIALECTS);
  const detail = random.chance(0.25) ? "summary" : "full";
  const filters = random.chance(0.25) ? STRONG : UNBOUNDED;
  const agency = await startSimulatedAgency({
    seed,
    dialect,
    eventCount: EVENTS,
    spanMs: SPAN_MS,
    lies: 0.3,
    outageEveryMs: 15 * HOUR,
    picks: 1,
    ...(dialect === "emsc" && { cap: 10 }),
    // Else a summary is, which is made of its text.
    ...(detail === "summary" && { rounded: false }),
  });
  lane.agency.current = { url: agency.url, dialect, ...(dialect === "emsc" && { cap: 10 }) };
  const { context } = lane;
  const catalogueId = await createdFrom(context, generatedRecords(seed, OWN), newCommand(MAKER));
  const { rows } = await scene.catalogues.projectorPool.query<{ id: string }>(
    "select event_id as id from read_model.seismic_events where catalogue_key = (select key from read_model.catalogues where id = $1)",
    [catalogueId],
  );
  const withdrawn = random.pick(["mark", "remove", "remove", "keep"] as const);
  const scheduleId = await makeScheduleCommand(context, newCommand(MAKER), catalogueId, {
    agency: "simulated",
    everyMinutes: 60,
    lookbackHours: LOOKBACK_HOURS,
    filters,
    detail,
    updateExisting: true,
    withdrawn,
    push: false,
    paused: false,
    pausedBecause: null,
  });
  return {
    scene,
    lane,
    catalogueId,
    scheduleId,
    agency,
    withdrawn,
    filters,
    precision: dialect === "isc" && detail === "full" ? ISF_MS : 1,
    own: new Set(rows.map(({ id }) => id)),
  };
}

/** The process is gone, whatever it was about to do. */
class Dead extends Error {
  override readonly name = "Dead";
}

const USES_OF_POOL = ["any", "many", "maybeOne", "one", "query", "transaction"] as const;

/**
 * A context whose process dies at its `calls`-th use of the log or the database: that one is done or not,
 * by `isDone`, and none after it.
 * @param worker the presence key of a process that is dead
 */
function mortal(
  context: CommandContext,
  worker: string,
  { calls, isDone }: { readonly calls: number; readonly isDone: boolean },
): CommandContext {
  let left = calls;

  function dying<T extends object>(target: T, names: readonly (keyof T)[]): T {
    const uses = names.map((name) => {
      const use = target[name] as (...args: unknown[]) => Promise<unknown>;
      const mortalUse = async (...args: unknown[]): Promise<unknown> => {
        left -= 1;
        if (left < 0) throw new Dead("this process is dead");
        if (left > 0) return use.apply(target, args);
        if (isDone) await use.apply(target, args);
        throw new Dead("this process dies");
      };
      return [name, mortalUse] as const;
    });
    return { ...target, ...Object.fromEntries(uses) };
  }

  return {
    ...context,
    worker,
    log: dying(context.log, ["append"]),
    pool: dying(context.pool, USES_OF_POOL),
  };
}

const MINUTE = 60_000;
/** Of the events of an agency in a window; more is not withdrawn, but for few that are missed again and again. */
const BELIEVED = 0.2;
const FEW = 3;
const FEW_RUNS = 3;
/** More than a schedule of these tests makes. */
const MOST_RUNS = 2_000;
const NAMES = ["latitude", "longitude", "depth", "magnitude"];

type State = {
  readonly last_whole: string | null;
  readonly failures: number;
  readonly error: string | null;
};

async function stateOf({ scene, scheduleId }: Subject): Promise<State> {
  const { rows } = await scene.catalogues.projectorPool.query<State>(
    `select to_char(last_whole at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_whole, failures,
       coalesce(error, withheld ->> 'why') as error
     from operations.schedule_states where schedule_id = $1`,
    [scheduleId],
  );
  return rows[0] ?? { last_whole: null, failures: 0, error: null };
}

type Row = JsonObject & { source_id: string; isMarked: boolean };

/** Those of the last version: a dead process may have left a revision open. */
async function rowsOf({ scene, catalogueId, own }: Subject): Promise<Row[]> {
  const { rows } = await scene.catalogues.projectorPool.query<JsonObject>(
    `select event_id as id, source_id, time::text, time_digits, ${NAMES.join(", ")}, extra ->> 'withdrawn_at' as marked
     from read_model.seismic_events join read_model.catalogues c on c.key = catalogue_key
     where c.id = $1 and revision_from <= c.version and (revision_to is null or revision_to > c.version)`,
    [catalogueId],
  );
  return rows
    .filter(({ id }) => !own.has(String(id)))
    .map((row) => ({
      ...row,
      source_id: String(row["source_id"]),
      time: toIsoTime(String(row["time"]), Number(row["time_digits"])),
      isMarked: row["marked"] !== null,
    }));
}

function essence(row: JsonObject, precision: number): string {
  const timeMs = Math.floor(Date.parse(String(row["time"])) / precision) * precision;
  return JSON.stringify([row["source_id"], timeMs, ...NAMES.map((name) => row[name] ?? null)]);
}

/** What the catalogue has of the agency in that window, without what is marked as withdrawn. */
async function shown(subject: Subject, atMs: number): Promise<Row[]> {
  const fromMs = atMs - LOOKBACK_HOURS * HOUR;
  const rows = await rowsOf(subject);
  return rows.filter(({ time, isMarked }) => !isMarked && Date.parse(String(time)) >= fromMs);
}

/** What the agency has within the window of a run that began at `atMs`. */
function held({ agency, filters }: Subject, atMs: number) {
  const fromMs = atMs - LOOKBACK_HOURS * HOUR;
  return expectedAt(agency.life, atMs, { fromMs, toMs: atMs, filters });
}

/** Rows that a run may withdraw: not at the start of its window, where corrected times cross it. */
function decidable(rows: readonly Row[], atMs: number): Row[] {
  const fromMs = atMs - LOOKBACK_HOURS * HOUR + MINUTE;
  return rows.filter(({ time }) => Date.parse(String(time)) >= fromMs);
}

/** What the catalogue promises of the agency's events, as a model: `follow` sees each run that was whole. */
function createWithholding(subject: Subject) {
  /** In how many whole runs in a row each event was missed. */
  const missed = new Map<unknown, number>();
  let isWithholding = false;
  return {
    isWithholding: () => isWithholding,
    /** What is there before a run. */
    before: async (atMs: number) => decidable(await shown(subject, atMs), atMs),
    /**
     * The catalogue is what the agency had when the window was last read whole, and what was withheld: more than a
     * fifth of what the window held, but of three events or fewer those that three such runs in a row have missed.
     */
    async follow(before: readonly Row[], atMs: number): Promise<void> {
      const { withdrawn, precision } = subject;
      const present = await shown(subject, atMs);
      const agencys = held(subject, atMs);
      const expected = [...agencys.values()].map(({ row }) => essence(row, precision));
      const found = present.map((row) => essence(row, precision)).sort();
      if (withdrawn === "keep") {
        expect(found).toEqual(expect.arrayContaining(expected));
        return;
      }
      const all = await rowsOf(subject);
      const there = new Set(
        all.filter((row) => agencys.has(row.source_id)).map((row) => row["id"]),
      );
      const gone = before.filter(({ id }) => !there.has(id ?? null));
      const runs = new Map(gone.map(({ id }) => [id, (missed.get(id) ?? 0) + 1]));
      missed.clear();
      for (const [id, count] of runs) missed.set(id, count);
      const isTooMuch = gone.length > BELIEVED * before.length;
      const stays = ({ id }: Row) =>
        isTooMuch && (gone.length > FEW || (runs.get(id) ?? 0) < FEW_RUNS);
      const withheld = gone.filter(stays);
      isWithholding = withheld.length > 0;
      expected.push(...withheld.map((row) => essence(row, precision)));
      expect(found).toEqual(expected.sort());
      const { failures, error } = await stateOf(subject);
      expect({ failures, isTold: error !== null }).toEqual({ failures: 0, isTold: isWithholding });
      if (isWithholding) expect(error).toContain(`${gone.length} of its ${before.length} events`);
    },
  };
}

/**
 * Of the runs that succeeded the counts add up to what is there.
 * @returns the events that were withdrawn, and the runs that failed
 */
async function expectTrueHistory(
  subject: Subject,
): Promise<{ readonly withdrawn: number; readonly failed: number }> {
  const { lane, catalogueId, withdrawn } = subject;
  const history = await listImports(lane.context.pool, catalogueId, MOST_RUNS, SERVICE);
  const succeeded = history.filter(({ errors }) => errors === null || errors.length === 0);
  let count = 0;
  let withdrawnCount = 0;
  for (const { new_events: added, withdrawn_events: gone = 0 } of succeeded) {
    withdrawnCount += gone;
    count += added - (withdrawn === "remove" ? gone : 0);
  }
  expect(count).toBe((await rowsOf(subject)).length);
  return { withdrawn: withdrawnCount, failed: history.length - succeeded.length };
}

/** The events that are no agency's are all there. */
async function expectOwn({ scene, catalogueId, own }: Subject): Promise<void> {
  const { rows } = await scene.catalogues.projectorPool.query<{ count: string }>(
    "select count(*) from read_model.seismic_events where catalogue_key = (select key from read_model.catalogues where id = $1) and event_id = any($2) and revision_to is null",
    [catalogueId, [...own]],
  );
  expect(Number(rows[0]?.count)).toBe(OWN);
}

const SEEDS = 1_000;
const PART = 4 / SEEDS;
/** Lives at a time. */
const LANES = 4;

const scene = useLife(LANES);

/** Runs the schedule, in a process that may die meanwhile. */
async function runOnce(
  { lane, scheduleId }: Subject,
  random: Random,
  mayDie = 0.25,
): Promise<void> {
  const death = { calls: 1 + random.below(14), isDone: random.chance(0.5) };
  const dies = random.chance(mayDie);
  const scheduler = lane.scheduler(
    dies ? mortal(lane.context, scene.deadWorker(), death) : lane.context,
  );
  const caller = lane.context.worker;
  const asker = { caller, network: "", isGuest: false, signal: AbortSignal.timeout(60_000) };
  try {
    const claimed = await scheduler.claim(scheduleId);
    if (claimed !== null) await scheduler.run(claimed, { ...asker, onProgress() {} });
  } catch {
    // Failures are in the schedule's state; a dead process leaves its claim to the others.
  }
  await scheduler.close();
  await lane.sweep();
}

/** @returns what happened in it */
async function live(lane: Lane, seed: number) {
  const random = createRandom(seed);
  const subject = await begin(scene, lane, seed, random);
  const { agency } = subject;
  const model = createWithholding(subject);
  let lastWhole: string | null = null;
  let withholding = 0;
  /** @returns whether the window was read whole */
  const runAndFollow = async (mayDie?: number): Promise<boolean> => {
    const before = await model.before(lane.clock.nowMs);
    await runOnce(subject, random, mayDie);
    const { last_whole: whole } = await stateOf(subject);
    if (whole === lastWhole) return false;
    lastWhole = whole;
    await model.follow(before, Date.parse(String(whole)));
    withholding += model.isWithholding() ? 1 : 0;
    return true;
  };
  try {
    for (let atMs = agency.life.fromMs + DAY; atMs < agency.life.toMs; ) {
      lane.clock.nowMs = atMs;
      await agency.advanceTo(atMs);
      await runAndFollow();
      atMs += random.chance(0.3) ? HOUR : 2 * HOUR + random.below(24 * DAY);
    }
    // The agency is quiet, and all is well.
    await agency.advanceTo(agency.life.toMs);
    await agency.heal();
    lane.clock.nowMs = agency.life.toMs + 2 * DAY;
    // A revision that a dead process left open is in the way until it is seen and swept.
    const isSettled = async (): Promise<boolean> => {
      lane.clock.nowMs += 1;
      return runAndFollow(0);
    };
    await expect.poll(isSettled, { interval: 1, timeout: 60_000 }).toBe(true);
    await expectOwn(subject);
    return { ...(await expectTrueHistory(subject)), withholding };
  } finally {
    await agency.close();
    await endScheduleCommand(lane.context, newCommand(MAKER), subject);
  }
}

test("a schedule's catalogue is the agency's after any life of runs, crashes and outages", async () => {
  const count = runs(SEEDS, PART);
  const seeds = Array.from({ length: count }, (_, i) => i + 1).values();
  const wrong: Error[] = [];
  const met = { withdrawn: 0, failed: 0, withholding: 0 };
  const inTurn = async (lane: Lane): Promise<void> => {
    for (const seed of seeds) {
      try {
        const { withdrawn, failed, withholding } = await live(lane, seed);
        met.withdrawn += withdrawn;
        met.failed += failed;
        met.withholding += withholding;
      } catch (cause) {
        wrong.push(new Error(`seed ${seed}`, { cause }));
      }
    }
  };
  await Promise.all(scene.lanes.map(inTurn));
  if (wrong.length > 0) throw new AggregateError(wrong, wrong.map(String).join(", "));
  // Lives are eventful: most see an event go, a run fail, and one that would withdraw too much.
  expect(met.withdrawn).toBeGreaterThan(count / 2);
  expect(met.failed).toBeGreaterThan(count / 2);
  expect(met.withholding).toBeGreaterThan(count / 2);
}, 1_800_000);

test("hourly runs without changes append nothing to the log", async () => {
  const [lane] = scene.lanes;
  if (lane === undefined) throw new Error("there are lanes");
  const random = createRandom(1);
  const subject = await begin(scene, lane, SEEDS + 1, random);
  const { agency } = subject;
  const recorded = async (): Promise<string | undefined> => {
    const count = "select count(*)::text as count from event_log.events";
    const { rows } = await scene.catalogues.projectorPool.query<{ count: string }>(count);
    return rows[0]?.count;
  };
  try {
    await agency.advanceTo(agency.life.toMs);
    await agency.heal();
    lane.clock.nowMs = agency.life.toMs;
    await runOnce(subject, random, 0);
    const before = await recorded();
    const asked = agency.requests.length;
    const hours = runs(1_000, 0.01);
    for (let hour = 0; hour < hours; hour += 1) {
      lane.clock.nowMs += HOUR;
      await runOnce(subject, random, 0);
    }
    expect(await recorded()).toBe(before);
    expect(await stateOf(subject)).toMatchObject({ failures: 0, error: null });
    expect(agency.requests.length - asked).toBeGreaterThanOrEqual(hours);
    await expectTrueHistory(subject);
  } finally {
    await agency.close();
    await endScheduleCommand(lane.context, newCommand(MAKER), subject);
  }
});

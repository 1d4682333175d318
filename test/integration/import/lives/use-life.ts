import { randomUUID } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import type { ServiceDialect } from "#contracts/agency.ts";
import { createCircuitBreaker } from "#infra/agency/circuit-breaker.ts";
import { createRequestSlots } from "#infra/kernel/slots.ts";
import { createPresence, type Presence } from "#infra/postgres/presence.ts";
import { openThreads } from "#infra/threads/open-threads.ts";
import type { ThreadKind } from "#infra/threads/worker-threads.ts";
import { abandonRevisionsOfTheDead } from "#services/commands/catalogues/abandon-revisions.ts";
import { type CommandContext, createRevisionsInProgress } from "#services/commands/context.ts";
import type * as imports from "#services/commands/import/import-worker.ts";
import { createImporter } from "#services/commands/import/importer.ts";
import { endRunsOfTheDead } from "#services/commands/schedules/end-dead-runs.ts";
import { createScheduler, type Scheduler } from "#services/commands/schedules/scheduler.ts";
import { silentLogger } from "../../../support/logger.ts";
import { NO_REGIONS } from "../../../support/no-regions.ts";
import { type TestCatalogues, useCatalogues } from "../../catalogues/use-catalogues.ts";

/** Who made the schedules. */
export const MAKER = "user_1_tester";

/** As a gateway's, but a run that is given up does not end its thread: starting one takes longer than a run. */
const THREADS = {
  imports: {
    entry: new URL("../../../../services/commands/import/import-worker.ts", import.meta.url),
    queue: { running: 2, waiting: 64, waitingOfOne: 64, isOfOneCaller: true },
    heap: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
    endsThread: false,
    stuckAfterSeconds: 60,
  } as ThreadKind<typeof imports>,
};

export type AskedAgency = {
  readonly url: string;
  readonly dialect: ServiceDialect;
  /** Most events that it gives at once, where it says so. */
  readonly cap?: number;
};

/** A process of the service with a time of its own, beside others on the same database. */
export type Lane = {
  readonly context: CommandContext;
  /** Its time, which it takes for the present. */
  readonly clock: { nowMs: number };
  /** Asked by the schedules that it runs. */
  readonly agency: { current: AskedAgency | null };
  readonly scheduler: (context?: CommandContext) => Scheduler;
  /** Ends what dead processes left open, as the service does from time to time. */
  readonly sweep: () => Promise<void>;
};

export type LifeScene = {
  readonly catalogues: TestCatalogues;
  readonly lanes: readonly Lane[];
  /** The presence key of a process that is dead. */
  readonly deadWorker: () => string;
};

/** Schedules over a real database, and threads, in `count` processes with clocks of the test. */
export function useLife(count: number): LifeScene {
  const catalogues = useCatalogues();
  const lanes: Lane[] = [];
  const closing: (() => unknown)[] = [];
  let deadWorker = "";
  beforeAll(async () => {
    const threads = openThreads(THREADS);
    closing.push(threads.close);
    const dead = await createPresence(catalogues.databaseUrl);
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
      const presence = await createPresence(catalogues.databaseUrl);
      closing.push(presence.close);
      const gate = { breaker, slots: createRequestSlots(2) };
      const { databaseUrl } = catalogues;
      const importer = createImporter(threads.threads.imports, { databaseUrl, gateOf: () => gate });
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

import { expect, test } from "vitest";
import { endScheduleCommand } from "#services/commands/schedules/change-schedules.ts";
import { createRandom, type Random } from "../../../fuzz/random.ts";
import { runs } from "../../../support/runs.ts";
import { newCommand } from "../../catalogues/use-catalogues.ts";
import { createWithholding, expectOwn, expectTrueHistory, stateOf } from "./expectations.ts";
import { mortal } from "./mortal.ts";
import { begin, type Subject } from "./subject.ts";
import { type Lane, MAKER, useLife } from "./use-life.ts";

const SEEDS = 1_000;
const PART = 8 / SEEDS;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Lives at a time. */
const LANES = 6;

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
    const hours = runs(1_000, 0.03);
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

import { randomUUID } from "node:crypto";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { ScheduleSettings } from "#contracts/events/imports.ts";
import { readMessage } from "#infra/agency/push.ts";
import { SERVICE } from "#projections/read/rights.ts";
import {
  type ClaimedSchedule,
  claimDue,
  claimSchedule,
  endRun,
  findSchedule,
} from "#projections/read/schedules.ts";
import { deleteCatalogueCommand } from "#services/catalogues/commands.ts";
import { createDeliveries } from "#services/imports/pushes.ts";
import {
  type Applied,
  changeScheduleCommand,
  endRunsOfTheDead,
  endScheduleCommand,
  forgetEnded,
  makeScheduleCommand,
} from "#services/imports/schedules.ts";
import { emscMessage } from "../../support/agency/life/push-server.ts";
import { createdFrom, generatedRecords } from "../../support/catalogues/catalogue-scene.ts";
import { newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { silentLogger } from "../../support/logger.ts";
import { NO_REGIONS } from "../../support/no-regions.ts";

const MINUTE_MS = 60_000;
const catalogues = useCatalogues();

const SETTINGS: ScheduleSettings = {
  ...{ agency: "geonet", everyMinutes: 60, lookbackHours: 48, detail: "full", push: false },
  filters: {
    ...{ minMagnitude: null, maxMagnitude: null, minDepth: null, maxDepth: null },
    ...{ minLatitude: null, maxLatitude: null, minLongitude: null, maxLongitude: null },
  },
  ...{ updateExisting: true, withdrawn: "mark", paused: false, pausedBecause: null },
};

beforeEach(async () => {
  await catalogues.projectorPool.query("delete from read_model.schedules");
  await catalogues.projectorPool.query("delete from operations.schedule_states");
});

/** Schedules of a new catalogue. @returns the ids */
async function made(count: number, settings: Partial<ScheduleSettings> = {}): Promise<string[]> {
  const { context } = catalogues;
  const catalogueId = await createdFrom(context, generatedRecords(6, 1));
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const whole = { ...SETTINGS, ...settings };
    ids.push(await makeScheduleCommand(context, newCommand(), catalogueId, whole));
  }
  return ids;
}

const later = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS);
const done = { outcome: "done", askedWhole: true, isWhole: true, known: null } as const;

test("processes that claim at the same time claim each schedule that is due once", async () => {
  const { pool } = catalogues.context;
  const ids = await made(24);
  const now = later(61);
  const all: ClaimedSchedule[] = [];
  const process = async (worker: string) => {
    for (;;) {
      const claimed = await claimDue(pool, { worker, now }, 2);
      if (claimed.length === 0) return;
      all.push(...claimed);
      for (const one of claimed) {
        expect(await endRun(pool, one, worker, { ...done, standsFor: "" })).toBe(true);
      }
    }
  };
  await Promise.all(["1", "2", "3"].map(process));
  expect(all.map(({ scheduleId }) => scheduleId).toSorted()).toEqual(ids.toSorted());
});

test("a schedule is due its minutes after it was made, and then after its last run began, however many were missed", async () => {
  const { pool } = catalogues.context;
  const [id] = await made(1);
  const due = (now: Date) => claimDue(pool, { worker: "1", now }, 10);
  expect(await due(later(59))).toEqual([]);
  const [claimed] = await due(later(1_000));
  expect(claimed?.scheduleId).toBe(id);
  if (claimed === undefined) return;
  await endRun(pool, claimed, "1", { ...done, standsFor: "" });
  expect(await due(later(1_059))).toEqual([]);
  expect(await due(later(1_061))).toHaveLength(1);
});

test("a schedule that is paused is not due, and runs by hand alone", async () => {
  const { context } = catalogues;
  const [id = ""] = await made(1);
  const found = await findSchedule(context.pool, id, SERVICE);
  const target = { scheduleId: id, catalogueId: found?.catalogueId ?? "" };
  await changeScheduleCommand(context, newCommand(), target, (all) => ({ ...all, paused: true }));
  expect(await claimDue(context.pool, { worker: "1", now: later(1_000) }, 10)).toEqual([]);
  const claimant = { worker: "1", now: later(1_000) };
  expect(await claimSchedule(context.pool, claimant, id, randomUUID())).not.toBeNull();
  expect(await claimSchedule(context.pool, claimant, id, randomUUID())).toBeNull();
});

test("a run that was taken from a process leaves nothing for the next one", async () => {
  const { context } = catalogues;
  const { pool } = context;
  const [id = ""] = await made(1);
  const [lost] = await claimDue(pool, { worker: "1", now: later(61) }, 1);
  if (lost === undefined) throw new Error("nothing was due");
  const nobody = { alive: async () => new Set<string>() };
  const there = { ...context, now: () => later(62) };
  expect(await endRunsOfTheDead(there, nobody, () => false)).toBe(1);
  const [again] = await claimDue(pool, { worker: "2", now: later(62) }, 1);
  expect(again?.scheduleId).toBe(id);
  expect(await endRun(pool, lost, "1", { ...done, standsFor: "" })).toBe(false);
  const running = await findSchedule(pool, id, SERVICE);
  expect(running).toMatchObject({ running: true, failures: 1, last_whole: null });
});

test("a run that is cut off again and again waits as after failures", async () => {
  const { context } = catalogues;
  const [id = ""] = await made(1);
  const nobody = { alive: async () => new Set<string>() };
  const cut = async (minutes: number) => {
    const now = later(minutes);
    const claimed = await claimDue(context.pool, { worker: "1", now }, 1);
    await endRunsOfTheDead({ ...context, now: () => now }, nobody, () => false);
    return claimed.length;
  };
  expect(await cut(61)).toBe(1);
  expect(await cut(61)).toBe(1);
  expect(await cut(61 + 239)).toBe(0);
  expect(await cut(61 + 241)).toBe(1);
  expect(await findSchedule(context.pool, id, SERVICE)).toMatchObject({ failures: 3 });
});

test("the runs of processes that live stay theirs", async () => {
  const { context, presence } = catalogues;
  await made(1);
  await claimDue(context.pool, { worker: presence.key, now: later(61) }, 1);
  const other = { ...context, worker: "1" };
  expect(await endRunsOfTheDead(other, presence, () => false)).toBe(0);
  expect(await endRunsOfTheDead(context, presence, () => true)).toBe(0);
  expect(await endRunsOfTheDead(context, presence, () => false)).toBe(1);
});

test("of schedules that were ended and of deleted catalogues nothing is kept, whatever the read model has", async () => {
  const { context, projectorPool } = catalogues;
  const { pool } = context;
  const [kept = "", ended = ""] = await made(2);
  const [gone = ""] = await made(1);
  await claimDue(pool, { worker: "1", now: later(61) }, 10);
  const catalogueOf = async (id: string) =>
    (await findSchedule(pool, id, SERVICE))?.catalogueId ?? "";
  const target = { scheduleId: ended, catalogueId: await catalogueOf(ended) };
  const deleted = await catalogueOf(gone);
  await endScheduleCommand(context, newCommand(), target);
  await deleteCatalogueCommand(context, newCommand(), deleted, null);
  await projectorPool.query("delete from read_model.schedules");
  await forgetEnded(context);
  const { rows } = await projectorPool.query("select schedule_id from operations.schedule_states");
  expect(rows).toEqual([{ schedule_id: kept }]);
});

const SOON = { timeout: 5_000, interval: 20 };

const NOTHING = { minMagnitude: null, maxMagnitude: null, minDepth: null, maxDepth: null };
const NOWHERE = { minLatitude: null, maxLatitude: null, minLongitude: null, maxLongitude: null };

/** Deliveries to one schedule, whose runs end as the test says. */
async function scene(
  agency: string,
  outcomeOf: (ids: readonly string[]) => Applied = () => "done",
) {
  const { context } = catalogues;
  const catalogueId = await createdFrom(context, []);
  const schedule = await makeScheduleCommand(context, newCommand(), catalogueId, {
    ...{ agency, everyMinutes: 60, lookbackHours: 48, detail: "full", push: true },
    ...{ filters: { ...NOTHING, ...NOWHERE }, updateExisting: true, withdrawn: "keep" },
    ...{ paused: false, pausedBecause: null },
  });
  const applied: (readonly (readonly [string, unknown])[])[] = [];
  const apply = async (_: string, messages: Parameters<typeof deliveries.take>[1][]) => {
    applied.push(messages.map(({ id, event }) => [id, event["magnitude"]] as const));
    return outcomeOf(messages.map(({ id }) => id));
  };
  const stopping = new AbortController();
  const deliveries = createDeliveries({
    pool: context.pool,
    now: () => new Date(),
    regions: NO_REGIONS,
    scheduler: { apply: (id, messages) => apply(id, [...messages]) },
    logger: silentLogger(),
    signal: stopping.signal,
  });
  onTestFinished(async () => {
    stopping.abort();
    await deliveries.settled();
  });
  return {
    applied,
    take: (id: string, magnitude: number, updatedMs: number) =>
      deliveries.take(agency, eventOf(id, magnitude, updatedMs)),
    found: () => findSchedule(context.pool, schedule, SERVICE),
  };
}

function eventOf(id: string, magnitude: number, updatedMs: number) {
  const time = new Date(Date.now() - 3_600_000).toISOString();
  const row = { source_id: id, time, latitude: 1, longitude: 2, depth: 3, magnitude };
  const message = emscMessage({ before: null, after: { row, updatedMs } });
  const read = readMessage(Buffer.from(JSON.stringify(message)));
  if (read.outcome !== "event") throw new Error(`the message is ${read.outcome}`);
  return read.pushed;
}

test("of messages of one event that come together the newest is applied, whatever their order", async () => {
  const { applied, take } = await scene("together");
  take("a", 3, 1_000);
  take("a", 4, 3_000);
  take("a", 5, 2_000);
  take("b", 1, 1_000);
  await expect
    .poll(() => applied, SOON)
    .toEqual([
      [
        ["a", 4],
        ["b", 1],
      ],
    ]);
});

test("messages that find their schedule busy are applied later, with those that came meanwhile", async () => {
  const { applied, take } = await scene("busy", (ids) => (ids.includes("b") ? "done" : "busy"));
  take("a", 3, 1_000);
  await expect.poll(() => applied.length, SOON).toBeGreaterThan(0);
  take("b", 4, 1_000);
  take("a", 2, 500);
  await expect
    .poll(() => applied.at(-1), SOON)
    .toEqual([
      ["a", 3],
      ["b", 4],
    ]);
  expect(applied.flat()).not.toContainEqual(["a", 2]);
});

test("more messages than wait are left to a run of the schedule, which is due at once", async () => {
  const { applied, take, found } = await scene("flood");
  for (let i = 0; i < 2_001; i++) take(`e${i}`, 3, 1_000);
  take("last", 3, 1_000);
  await expect.poll(() => applied, SOON).toEqual([[["last", 3]]]);
  const isDue = async () => Date.parse((await found())?.next_run ?? "") <= Date.now();
  await expect.poll(isDue, SOON).toBe(true);
});

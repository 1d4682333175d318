import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import type { ScheduleSettings } from "#contracts/events/imports.ts";
import { SERVICE } from "#projections/read/rights.ts";
import {
  type ClaimedSchedule,
  claimDue,
  claimSchedule,
  endRun,
  findSchedule,
} from "#projections/read/schedules.ts";
import { deleteCatalogueCommand } from "#services/catalogues/commands.ts";
import {
  changeScheduleCommand,
  endRunsOfTheDead,
  endScheduleCommand,
  forgetEnded,
  makeScheduleCommand,
} from "#services/imports/schedules.ts";
import { createdFrom, generatedRecords } from "../../support/catalogues/catalogue-scene.ts";
import { newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";

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

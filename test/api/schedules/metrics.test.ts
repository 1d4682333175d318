import { beforeAll, expect, test } from "vitest";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { historyOf, useImports } from "../import/import-scene.ts";
import { scheduleOf } from "../support/schedules.ts";
import { databaseOf, endedRun, makeScheduleDue, recent, scheduledFor } from "./schedule-scene.ts";

const scene = useImports({ dialect: "fdsn" });
const DAY_S = 86_400;
const POLL = { timeout: 30_000, interval: 100 };
/** Runs that a process makes by itself at a time. */
const PLACES = 2;
let editor: ApiClient;
beforeAll(async () => {
  editor = await scene.service.loginAs("editor");
});

/** A metric by its name and labels; null where it is not there. */
async function read(metric: string): Promise<number | null> {
  const { body } = await createApiClient(scene.service.url).get<string>("/metrics");
  const line = body.split("\n").find((one) => one.startsWith(`${metric} `));
  return line === undefined ? null : Number(line.slice(metric.length));
}

const counted = async (outcome: string) =>
  (await read(`schedule_runs_total{outcome="${outcome}"}`)) ?? 0;

test("runs are counted by how they end", async () => {
  scene.agency.catalogue.add(recent("a"));
  const { schedule } = await scheduledFor(editor);
  await endedRun(editor, schedule);
  expect([await counted("changed"), await counted("unchanged")]).toEqual([1, 0]);
  await endedRun(editor, schedule);
  scene.agency.fail(() => ({ kind: "status", status: 400 }));
  await endedRun(editor, schedule);
  scene.agency.fail();
  const outcomes = ["changed", "unchanged", "failed", "conflict"];
  expect(await Promise.all(outcomes.map(counted))).toEqual([1, 1, 1, 0]);
});

test("a run that is committed is no failure where its end cannot be kept, and is made again", async () => {
  const before = await Promise.all(["changed", "unchanged", "failed"].map(counted));
  const { catalogue, schedule } = await scheduledFor(editor);
  scene.agency.catalogue.add(recent("committed"));
  const client = await databaseOf(scene.service);
  await client.query(`
    create function no_end() returns trigger language plpgsql as $$
      begin raise exception 'the end cannot be kept'; end $$;
    create trigger no_end before update on operations.schedule_states for each row
      when (old.worker is not null and new.worker is null) execute function no_end()`);
  const { status } = await endedRun(editor, schedule);
  await client.query("drop function no_end cascade");
  expect(status).toBe("succeeded");
  // Made again as soon as it is noticed, it finds nothing new.
  await expect.poll(async () => (await historyOf(editor, catalogue)).length, POLL).toBe(2);
  const history = await historyOf(editor, catalogue);
  expect(history.map(({ errors }) => errors)).toEqual([null, null]);
  const after = await Promise.all(["changed", "unchanged", "failed"].map(counted));
  expect(after.map((count, i) => count - (before[i] ?? 0))).toEqual([1, 1, 0]);
  expect(await scheduleOf(editor, schedule)).toMatchObject({ failures: 0, error: null });
});

test("what is due and waits, what is so for long, and the oldest window show until all have run", async () => {
  const { promise: until, resolve } = Promise.withResolvers<void>();
  scene.agency.fail(() => ({ kind: "late", until }));
  const before = await counted("changed");
  for (let i = 0; i <= PLACES; i += 1) {
    const { schedule } = await scheduledFor(editor);
    await makeScheduleDue(scene.service, schedule);
  }
  await expect.poll(() => read("schedules_due"), POLL).toBe(1);
  expect(await read("schedules_late")).toBe(1);
  const age = (await read("schedule_last_whole_age_seconds")) ?? 0;
  expect(Math.floor(age / DAY_S)).toBe(3);
  resolve();
  await expect.poll(() => counted("changed"), POLL).toBe(before + PLACES + 1);
  expect([await read("schedules_due"), await read("schedules_late")]).toEqual([0, 0]);
  expect(await read("schedule_last_whole_age_seconds")).toBeLessThan(DAY_S);
});

import { expect, onTestFinished, test } from "vitest";
import { readMessage } from "#infra/agency/push.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { findSchedule } from "#projections/read/schedules.ts";
import { createDeliveries } from "#services/imports/pushes.ts";
import { type Applied, makeScheduleCommand } from "#services/imports/schedules.ts";
import { emscMessage } from "../../support/agency/life/push-server.ts";
import { createdFrom } from "../../support/catalogues/catalogue-scene.ts";
import { newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { silentLogger } from "../../support/logger.ts";
import { NO_REGIONS } from "../../support/no-regions.ts";

const catalogues = useCatalogues();
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

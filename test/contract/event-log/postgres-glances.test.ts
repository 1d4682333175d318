import { afterAll, beforeAll, expect, it } from "vitest";
import { type EventLog, NO_STREAM, START, unverified } from "#infra/event-log/event-log.ts";
import { createGlances, type Glances } from "#infra/event-log/postgres/glances.ts";
import { createPostgresEventLog } from "#infra/event-log/postgres/postgres-event-log.ts";
import { subscription } from "#infra/event-log/postgres/subscription.ts";
import type { WakeUp } from "#infra/event-log/postgres/wake-up.ts";
import { SILENT } from "#infra/postgres/log.ts";
import {
  createPreparedStatements,
  type PreparedStatements,
} from "#infra/postgres/prepared-statements.ts";
import { useDatabase } from "../../support/database.ts";
import { newEvent, newEvents, uniqueName } from "./new-events.ts";

const database = useDatabase();
let reads: PreparedStatements;
let log: EventLog;

beforeAll(async () => {
  reads = createPreparedStatements(database.url, { applicationName: "glances-test" });
  log = await createPostgresEventLog(database.url);
});
afterAll(async () => {
  await log.close();
  await reads.close();
});

/** Glances, and how often the database was asked for them. */
function counted(): { glances: Glances; looks: () => number } {
  let looks = 0;
  const any: PreparedStatements["any"] = (query) => {
    looks += 1;
    return reads.any(query);
  };
  return { glances: createGlances({ any }), looks: () => looks };
}

/** Transactions of other tests may hold the event back. */
async function appendReadable(
  data = {},
): Promise<{ before: Awaited<ReturnType<EventLog["head"]>> }> {
  const before = await log.head();
  const { position } = await log.append(uniqueName("stream"), NO_STREAM, [newEvent({ data })]);
  const ending = new AbortController();
  for await (const batch of log.subscribe({ after: unverified(before), signal: ending.signal })) {
    if (batch.position >= position) break;
  }
  ending.abort();
  return { before };
}

it("is one look for all that stand at the same place", async () => {
  const { before } = await appendReadable();
  const { glances, looks } = counted();
  const first = glances.after(before, 1);
  expect(glances.after(before, 1)).toBe(first);
  expect((await first.reading).batch?.events).toHaveLength(1);
  expect(glances.after(before, 2)).toBe(first);
  expect(looks()).toBe(1);
});

it("looks again where nothing was found", async () => {
  await appendReadable();
  const { glances, looks } = counted();
  const head = await log.head();
  expect((await glances.after(head, 1).reading).batch).toBeNull();
  expect((await glances.after(head, 1).reading).batch).toBeNull();
  expect(looks()).toBe(2);
});

it("does not give a look that was begun before its asker was woken", async () => {
  const { glances, looks } = counted();
  const head = await log.head();
  const looking = glances.after(head, 1);
  await glances.after(head, 2).reading;
  await looking.reading;
  expect(looks()).toBe(2);
});

it("is no reason to wait for whoever was woken since", async () => {
  const { before } = await appendReadable();
  const { glances } = counted();
  await glances.after(before, 1).reading;
  await appendReadable();
  const wakeUp: WakeUp = {
    wake: () => undefined,
    version: () => 2,
    wait: () => Promise.reject(new Error("waits for what can be read")),
  };
  const signal = new AbortController().signal;
  let seen = 0;
  for await (const { events } of subscription(
    { reads, glances, wakeUp, log: SILENT, eventAt: log.eventAt },
    { after: unverified(before), signal },
  )) {
    seen += events.length;
    if (seen === 2) break;
  }
  expect(seen).toBe(2);
});

it("leaves a large event, and many, to those who want them", async () => {
  const { before } = await appendReadable({ text: "x".repeat(100_000) });
  const { glances } = counted();
  expect(await glances.after(before, 1).reading).toMatchObject({ batch: null, more: true });
  await log.append(uniqueName("stream"), NO_STREAM, newEvents(60));
  await appendReadable();
  const { batch, more } = await glances.after(await afterLarge(before), 1).reading;
  expect(batch?.events).toHaveLength(50);
  expect(more).toBe(true);
});

async function afterLarge(before: typeof START) {
  const ending = new AbortController();
  for await (const { events } of log.subscribe({
    after: unverified(before),
    signal: ending.signal,
  })) {
    ending.abort();
    if (events[0]) return events[0].position;
  }
  throw new Error("the large event is gone");
}

it("forgets a look that failed", async () => {
  let isAway = true;
  const any: PreparedStatements["any"] = (query) =>
    isAway ? Promise.reject(new Error("away")) : reads.any(query);
  const glances = createGlances({ any });
  await expect(glances.after(START, 1).reading).rejects.toThrow("away");
  isAway = false;
  expect((await glances.after(START, 1).reading).batch).not.toBeNull();
});

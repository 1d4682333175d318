import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import { NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import { catalogueStream } from "#contracts/names.ts";
import { toNewEvents } from "#infra/event-log/domain-events.ts";
import { type EventLog, NO_STREAM } from "#infra/event-log/event-log.ts";
import { firstAfter, versionOf } from "#services/domain/catalogue/version-history.ts";
import { createVersionHistories } from "#services/versions/version-histories.ts";
import { createInMemoryEventLog } from "../../support/in-memory-event-log.ts";

const counts = { chunks: 1, added: 2, updated: 0, removed: 0, eventCount: 2, contentHash: "c0" };

function created(catalogueId: string): CatalogueEvent[] {
  return [
    {
      type: "CatalogueCreated",
      data: { catalogueId, name: "Kaikōura", isPublic: false, createdBy: "user-1" },
    },
    ...version(catalogueId, 1, "created"),
  ];
}

function version(
  catalogueId: string,
  revision: number,
  cause: "created" | "edit" | "restore",
  restores?: number,
): CatalogueEvent[] {
  const opened = { catalogueId, revision, cause, worker: "w", ...(restores && { restores }) };
  return [
    { type: "RevisionOpened", data: opened },
    {
      type: "RevisionCommitted",
      data: { catalogueId, revision, cause, ...counts, bounds: NO_BOUNDS },
    },
  ];
}

async function append(log: EventLog, id: string, events: CatalogueEvent[]): Promise<void> {
  const stream = catalogueStream(id);
  const revision = (await log.read(stream, 0, 1000)).length + NO_STREAM;
  const origin = { commandId: randomUUID(), actor: "user-1", at: new Date() };
  await log.append(stream, revision, toNewEvents(stream, revision + 1, events, origin));
}

function countingReads(log: EventLog) {
  const reads = { events: 0, calls: 0 };
  const read: EventLog["read"] = async (...request) => {
    const events = await log.read(...request);
    reads.calls += 1;
    reads.events += events.length;
    return events;
  };
  return { reads, read };
}

test("a history has every committed version, with what its stream says of it", async () => {
  const log = createInMemoryEventLog();
  const id = randomUUID();
  await append(log, id, created(id));
  await append(log, id, [
    { type: "CatalogueRenamed", data: { catalogueId: id, name: "Kaikōura 2016" } },
    { type: "RevisionOpened", data: { catalogueId: id, revision: 2, cause: "edit", worker: "w" } },
    { type: "RevisionAbandoned", data: { catalogueId: id, revision: 2, reason: "gone" } },
    ...version(id, 3, "restore", 1),
    { type: "CatalogueDeleted", data: { catalogueId: id } },
  ]);
  const history = await createVersionHistories(log).read(id);
  expect(history).toMatchObject({ name: "Kaikōura 2016", publicFrom: null, isDeleted: true });
  expect(history?.versions).toMatchObject([
    { version: 1, previous: null, cause: "created", catalogueName: "Kaikōura", restores: null },
    { version: 3, previous: 1, cause: "restore", catalogueName: "Kaikōura 2016", restores: 1 },
  ]);
  expect(history && versionOf(history, 3)).toMatchObject({ actor: "user-1", eventCount: 2 });
  expect(history && versionOf(history, 2)).toBeUndefined();
  expect([0, 1, 2, 3].map((after) => firstAfter(history?.versions ?? [], after))).toEqual([
    0, 1, 1, 2,
  ]);
});

test("an event is read once, however many ask, and a commit before the call is never missed", async () => {
  const log = createInMemoryEventLog();
  const { reads, read } = countingReads(log);
  const histories = createVersionHistories({ read });
  const id = randomUUID();
  await append(log, id, created(id));
  await Promise.all(Array.from({ length: 100 }, () => histories.read(id)));
  expect(reads).toEqual({ events: 3, calls: 2 });
  const early = histories.read(id);
  await append(log, id, version(id, 2, "edit"));
  const late = await Promise.all([histories.read(id), histories.read(id)]);
  expect(late.map((history) => history?.versions.length)).toEqual([2, 2]);
  await early;
  expect(reads.events).toBe(5);
});

test("a catalogue that the log does not have has no history; those asked for longest ago are read anew", async () => {
  const log = createInMemoryEventLog();
  const { reads, read } = countingReads(log);
  const histories = createVersionHistories({ read }, 2);
  expect(await histories.read(randomUUID())).toBeNull();
  const ids = [randomUUID(), randomUUID(), randomUUID()];
  for (const id of ids) await append(log, id, created(id));
  for (const id of ids) await histories.read(id);
  expect(reads.events).toBe(9);
  await histories.read(ids[2] ?? "");
  expect(reads.events).toBe(9);
  await histories.read(ids[0] ?? "");
  expect(reads.events).toBe(12);
});

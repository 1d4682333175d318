import { createHash, randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CatalogueEvent, NO_BOUNDS } from "#contracts/events/catalogues.ts";
import { catalogueStream } from "#contracts/events/log.ts";
import { toNewEvents } from "#infra/log/domain-events.ts";
import { type EventLog, NO_STREAM } from "#infra/log/event-log.ts";
import { firstAfter, versionOf } from "#services/domain/versions.ts";
import { hashExport, NoExport } from "#services/versions/hashes.ts";
import { createVersionHistories } from "#services/versions/history.ts";
import { createInMemoryEventLog } from "../../support/in-memory-event-log.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const hashOf = (text: string, size = 7) => hashExport(inPieces(text, size));

describe("the hash of a JSON export", () => {
  test("is of its events in the order of their ids, however the file is written", async () => {
    const events = [
      { id: "b", magnitude: 5, extra: { z: 1, é: "🌏", a: [1, { d: null }] } },
      { magnitude: null, id: "a" },
    ];
    const sha256 = createHash("sha256")
      .update('{"id":"a","magnitude":null}\n')
      .update('{"extra":{"a":[1,{"d":null}],"z":1,"é":"🌏"},"id":"b","magnitude":5}\n')
      .digest("hex");
    await fc.assert(
      fc.asyncProperty(fc.nat(3), fc.integer({ min: 1, max: 99 }), async (blanks, size) => {
        const head = { catalogue: { id: "c", name: "events" }, version: 1 };
        for (const list of [events, events.toReversed()]) {
          const text = JSON.stringify({ ...head, events: list }, null, blanks);
          expect(await hashOf(text, size)).toEqual({ sha256, count: 2 });
        }
      }),
      { numRuns: runs(20) },
    );
  });

  test("without any event is that of nothing", async () => {
    const sha256 = createHash("sha256").digest("hex");
    expect(await hashOf('{"events":[]}')).toEqual({ sha256, count: 0 });
  });

  testRows(
    "a text that is no hash file is refused",
    ["", "[]", "{}", '{"features":[]}', '{"events":[1]}', '{"events":[{"time":1}]}'],
    async (text) => {
      await expect(hashOf(text)).rejects.toThrow(NoExport);
    },
  );

  testRows(
    "one that is cut off or broken is refused",
    ['{"events":[{"id":"a"}', '{"events":[{"id":"a",}]}'],
    async (text) => {
      await expect(hashOf(text)).rejects.toThrow(NoExport);
    },
  );
});

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

import { randomUUID } from "node:crypto";
import { sql } from "slonik";
import { expect, onTestFinished, test } from "vitest";
import { CHUNK_EVENT } from "#contracts/events/catalogues.ts";
import { catalogueStream, revisionStream, userStream } from "#contracts/events/log.ts";
import { encodeChunk } from "#infra/log/chunks.ts";
import { BEGINNING, type NewEvent, NO_STREAM, START, UnknownEvent } from "#infra/log/event-log.ts";
import { newHolder } from "#infra/postgres/coordination.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { cataloguesProjection } from "#projections/catalogues/projection.ts";
import { CheckpointMoved, readCheckpoint } from "#projections/engine/progress.ts";
import type { Projection } from "#projections/engine/projection.ts";
import { applyBatch, type ProjectionDeps, runProjection } from "#projections/engine/run.ts";
import { startProjector } from "#services/projector/start-projector.ts";
import { withClient } from "../../support/database-template.ts";
import { createInMemoryEventLog } from "../../support/in-memory-event-log.ts";
import { collectingLogger, silentLogger } from "../../support/logger.ts";
import { numberOf, useProjection } from "./use-projection.ts";

const scene = useProjection();

function run(
  projection: Projection,
  deps: Partial<ProjectionDeps> = {},
): { stop: () => Promise<void>; ended: Promise<void> } {
  const stopping = new AbortController();
  const { log, pool } = scene;
  const ended = runProjection(
    { log, pool, logger: silentLogger(), ...deps },
    projection,
    stopping.signal,
  );
  const stop = async (): Promise<void> => {
    stopping.abort();
    await ended.catch(() => undefined);
  };
  onTestFinished(stop);
  return { stop, ended };
}

async function firstBatch() {
  const stopping = new AbortController();
  for await (const batch of scene.log.subscribe({ after: BEGINNING, signal: stopping.signal })) {
    stopping.abort();
    return batch;
  }
  throw new Error("the log has no events");
}

const caughtUp = (name: string) =>
  expect
    .poll(
      async () => (await readCheckpoint(scene.pool, name)).position === (await scene.log.head()),
    )
    .toBe(true);

test("a projection applies every event once, in order, across a restart", async () => {
  const before = await scene.append("restart", 3);
  const first = run(scene.projection("restarted"));
  await caughtUp("restarted");
  await first.stop();
  const after = await scene.append("restart", 2);
  run(scene.projection("restarted"));
  await caughtUp("restarted");
  expect(await scene.applied("restarted")).toEqual([...before, ...after]);
});

test("a projection moves the checkpoint in the transaction of the rows: both or neither", async () => {
  await scene.append("atomic", 2);
  const batch = await firstBatch();
  const fatal = new UnknownEvent("of another version");
  const failing = scene.projection("atomic", (event) => {
    if (event === batch.events.at(-1)) throw fatal;
  });
  await expect(applyBatch(scene.pool, failing, START, batch)).rejects.toBe(fatal);
  expect(await scene.applied("atomic")).toEqual([]);
  expect(await readCheckpoint(scene.pool, "atomic")).toEqual(BEGINNING);
});

test("a projection lets only one of two workers apply a batch, and nobody whose lease was taken over", async () => {
  await scene.append("fenced", 1);
  const batch = await firstBatch();
  const projection = scene.projection("fenced");
  await scene.pool.query(`insert into coordination.leases
    select 'fenced', 'another', 8, pid, backend_start, clock_timestamp() from pg_stat_activity
    where pid = pg_backend_pid()`);
  const under = (number: string) =>
    applyBatch(scene.pool, projection, START, batch, { lease: { name: "fenced", number } });
  await expect(under("7")).rejects.toBeInstanceOf(CheckpointMoved);
  expect(await scene.applied("fenced")).toEqual([]);
  const outcomes = await Promise.allSettled([under("8"), under("8")]);
  const failures = outcomes.flatMap((outcome) =>
    outcome.status === "rejected" ? [outcome.reason] : [],
  );
  expect(failures).toEqual([expect.any(CheckpointMoved)]);
  expect(await scene.applied("fenced")).toEqual(batch.events.map(numberOf));
});

test("a projection parks an event that cannot be applied and all later ones of its subject, and goes on", async () => {
  const [poison, ...later] = await scene.append("poisoned", 3);
  const [healthy] = await scene.append("healthy", 1);
  const projection = scene.projection("parking", (event) => {
    if (numberOf(event) === poison) throw new Error("not to be digested");
  });
  run(projection);
  await caughtUp("parking");
  const [muchLater] = await scene.append("poisoned", 1);
  await caughtUp("parking");
  const applied = await scene.applied("parking");
  expect(applied).toContain(healthy);
  for (const number of [poison, ...later, muchLater]) expect(applied).not.toContain(number);
  const parked = await scene.parked("parking");
  expect(parked.map(({ subject }) => subject)).toEqual(Array(4).fill("poisoned"));
  expect(parked[0]?.error).toContain("not to be digested");
});

test("a projection parks an event whose statement never has time enough, tells of each try, and goes on", async () => {
  const [slow] = await scene.append("slow", 1);
  const [quick] = await scene.append("quick", 1);
  const plain = scene.projection("timed out");
  const pool = createPgPool(scene.databaseUrl, {
    applicationName: "slow",
    statementTimeoutMs: 200,
  });
  const { log: logger, lines } = collectingLogger();
  const { stop } = run(
    {
      ...plain,
      apply: async (transaction, events) => {
        if (events.some((event) => numberOf(event) === slow)) {
          await transaction.run(sql.unsafe`select pg_sleep(60)`);
        }
        await plain.apply(transaction, events);
      },
    },
    { pool, logger },
  );
  await expect.poll(() => scene.applied("timed out"), { timeout: 20_000 }).toContain(quick);
  await stop();
  await pool.end();
  const [parked, ...others] = await scene.parked("timed out");
  expect([parked?.subject, others]).toEqual(["slow", []]);
  expect(parked?.error).toContain("statement timeout");
  const told = lines.filter(({ msg }) => String(msg).includes("took too long"));
  expect(told.map(({ tries }) => tries)).toEqual([1, 2, 3]);
});

test("a projection stops at an event that it does not know, before it is passed over", async () => {
  await scene.append("unknown", 1, "Unknown");
  const projection = scene.projection("stopping", (event) => {
    if (event.type === "Unknown") throw new UnknownEvent("Unknown version 2");
  });
  await expect(run(projection).ended).rejects.toThrow(UnknownEvent);
  expect(await scene.applied("stopping")).toEqual([]);
});

test("catalogues stop at whatever a newer version of the service may have left in the log before it was taken back", async () => {
  const eventOf = (type: string, data: NewEvent["data"], schemaVersion = 1): NewEvent => {
    const at = new Date().toISOString();
    const metadata = { schemaVersion, commandId: randomUUID(), actor: "a newer service", at };
    return { id: randomUUID(), type, data, metadata };
  };
  const nothing = { length: 0, columns: { time: [], latitude: [], longitude: [] } };
  const [restored, updated] = [
    { ...nothing, ids: [] },
    { ...nothing, ids: [] },
  ];
  // An empty chunk in a format that is not invented yet: byte 3 is the version.
  const chunk = encodeChunk({ firstIndex: 0, added: nothing, restored, updated, removed: [] });
  chunk[3] = 99;
  const leftBehind: Record<string, (id: string) => [string, number, NewEvent]> = {
    "a type of a catalogue": (id) => [
      catalogueStream(id),
      1,
      eventOf("CatalogueFrozen", { catalogueId: id }),
    ],
    "a type of another stream": () => [
      userStream("user_1"),
      NO_STREAM,
      eventOf("UserPromoted", { userId: "user_1" }),
    ],
    "a version of a known type": (id) => [
      catalogueStream(id),
      1,
      eventOf("CatalogueDeleted", { catalogueId: id }, 2),
    ],
    "a format of a chunk": (id) => [revisionStream(id, 1), NO_STREAM, eventOf(CHUNK_EVENT, chunk)],
  };
  const { name } = cataloguesProjection;
  for (const [left, eventOfCatalogue] of Object.entries(leftBehind)) {
    await scene.pool.query("delete from read_model.checkpoints where projection = $1", [name]);
    const [log, catalogueId] = [createInMemoryEventLog(), randomUUID()];
    await log.append(catalogueStream(catalogueId), NO_STREAM, [
      eventOf("CatalogueCreated", { catalogueId, name: "a", isPublic: true, createdBy: "a" }),
      eventOf("RevisionOpened", { catalogueId, revision: 1, cause: "created", worker: "1" }),
    ]);
    const [stream, revision, event] = eventOfCatalogue(catalogueId);
    const { position } = await log.append(stream, revision, [event]);
    const { ended } = run(cataloguesProjection, { log });
    const passed = async () => (await readCheckpoint(scene.pool, name)).position;
    const passedOver = expect.poll(passed, { timeout: 20_000 }).toBe(position);
    passedOver.catch(() => undefined);
    await expect(Promise.race([ended, passedOver]), left).rejects.toThrow(UnknownEvent);
  }
});

test("a projection goes on from the checkpoint when its connection is cut off in the middle", async () => {
  let cut = false;
  const plain = scene.projection("cut off");
  const projection: Projection = {
    ...plain,
    types: ["Counted"],
    apply: async (transaction, events) => {
      await plain.apply(transaction, events);
      if (cut) return;
      cut = true;
      await withClient(scene.databaseUrl, (client) =>
        client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name = 'projection test'
             and state = 'idle in transaction'`,
        ),
      );
    },
  };
  run(projection);
  const numbers = await scene.append("cut", 3);
  await expect.poll(async () => (await scene.applied("cut off")).at(-1)).toBe(numbers.at(-1));
  const applied = await scene.applied("cut off");
  expect(new Set(applied).size).toBe(applied.length);
});

test("a projection works in one process at a time, and another takes over", async () => {
  const workers: string[] = [];
  const projectorOf = (worker: string) => {
    const plain = scene.projection("leased");
    const projection: Projection = {
      ...plain,
      types: ["Counted"],
      apply: async (transaction, events) => {
        if (events.length > 0) workers.push(worker);
        await plain.apply(transaction, events);
      },
    };
    const { log, pool, databaseUrl } = scene;
    const projector = startProjector({
      log,
      pool,
      databaseUrl,
      holder: newHolder(),
      projections: [projection],
      logger: silentLogger(),
      onFatal: (error) => {
        throw error;
      },
    });
    onTestFinished(projector.close);
    return projector;
  };
  const first = projectorOf("first");
  await expect.poll(() => workers.length).toBeGreaterThan(0);
  projectorOf("second");
  const [before] = await scene.append("leased", 1);
  await expect.poll(async () => (await scene.applied("leased")).at(-1)).toBe(before);
  expect(new Set(workers)).toEqual(new Set(["first"]));
  await first.close();
  const [after] = await scene.append("leased", 1);
  await expect
    .poll(async () => (await scene.applied("leased")).at(-1), { timeout: 10_000 })
    .toBe(after);
  expect(workers.at(-1)).toBe("second");
});

import { createHash } from "node:crypto";
import fc from "fast-check";
import { sql } from "slonik";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { catalogueStream, revisionStream } from "#contracts/names.ts";
import { columnsOf } from "#contracts/seismic-event/event-columns.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { catalogueById } from "#projections/queries/catalogues/catalogue-queries.ts";
import { openEventReads } from "#projections/queries/events/event-reads.ts";
import { walkEvents } from "#projections/queries/events/event-walk.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { addEventsCommand } from "#services/commands/catalogues/add-events.ts";
import {
  changeEventCommand,
  removeEventCommand,
} from "#services/commands/catalogues/change-event.ts";
import { boundsOf } from "../../support/bounds-of.ts";
import { silentLogger } from "../../support/logger.ts";
import { runs } from "../../support/runs.ts";
import { additionsOf, addRecords } from "./additions.ts";
import { createdFrom, generatedRecords } from "./catalogue-scene.ts";
import { newCommand, useCatalogues } from "./use-catalogues.ts";

const catalogues = useCatalogues();

let reads: ReturnType<typeof openEventReads>;
beforeAll(() => {
  reads = openEventReads(catalogues.databaseUrl, silentLogger());
});
afterAll(() => reads.close());

async function eventsOf(catalogueId: string): Promise<Omit<SeismicEvent, "source_events">[]> {
  const { events } = await walkEvents(reads, {
    walk: "filtered",
    reader: SERVICE,
    catalogueId,
    cursor: null,
    asOf: undefined,
    order: undefined,
    filters: {},
    limit: 10_000,
  });
  const listed: (SeismicEvent & { source_count: number })[] = JSON.parse(`[${events.json}]`);
  return listed.map(({ source_count: _, ...event }) => event);
}

async function logLength(catalogueId: string): Promise<number> {
  return (await catalogues.context.log.read(catalogueStream(catalogueId), 0, 1000)).length;
}

test("an edit that changes nothing writes nothing", async () => {
  const { context } = catalogues;
  const id = await createdFrom(context, generatedRecords(1, 5));
  const [event] = await eventsOf(id);
  const before = await logLength(id);
  const same = { depth: event?.depth, magnitude: event?.magnitude };
  const changed = await changeEventCommand(context, newCommand(), id, event?.id ?? "", same, null);
  const again = generatedRecords(1, 5);
  const added = await addRecords(catalogues, id, again, { updateExisting: true });
  expect(changed.version).toBe(1);
  expect(added).toEqual({ version: 1, newEvents: 0, updatedEvents: 0, skippedEvents: 5 });
  expect(await logLength(id)).toBe(before);
});

test("edits at once each take effect or are told of the conflict", async () => {
  const { context } = catalogues;
  const id = await createdFrom(context, generatedRecords(2, 20));
  const events = await eventsOf(id);
  const outcomes = await Promise.allSettled(
    events.map((event) =>
      changeEventCommand(context, newCommand(), id, event.id, { region: `was ${event.id}` }, null),
    ),
  );
  const after = await eventsOf(id);
  for (const [i, outcome] of outcomes.entries()) {
    const shown = after.find(({ id: shownId }) => shownId === events[i]?.id)?.region;
    if (outcome.status === "fulfilled") expect(shown).toBe(`was ${events[i]?.id}`);
    else {
      expect(outcome.reason).toMatchObject({ code: "CONFLICT" });
      expect(shown).toBe(events[i]?.region);
    }
  }
  expect(outcomes.some(({ status }) => status === "fulfilled")).toBe(true);
});

test("events are compared again where the catalogue was changed before their first chunk", async () => {
  const { context, databaseUrl } = catalogues;
  const records = generatedRecords(5, 3);
  const id = await createdFrom(context, records);
  const [event] = await eventsOf(id);
  const further = generatedRecords(6, 1).map((record) => ({ ...record, source_id: "further" }));
  const given = [...records.map((record) => ({ ...record, depth: 12 })), ...further];
  const additions = additionsOf(databaseUrl, given, true);
  const versions: unknown[] = [];
  const added = await addEventsCommand(
    context,
    newCommand(),
    id,
    {
      against: async (target, use) => {
        versions.push(target?.version);
        if (versions.length === 1) {
          await removeEventCommand(context, newCommand(), id, event?.id ?? "", null);
        }
        return additions.against(target, use);
      },
    },
    null,
  );
  expect(versions).toEqual([1, 2]);
  // The one that was removed meanwhile is new again.
  expect(added).toMatchObject({ version: 3, newEvents: 2, updatedEvents: 2, skippedEvents: 0 });
  const depths = (await eventsOf(id)).map(({ depth }) => depth);
  expect(depths.filter((depth) => depth === 12)).toHaveLength(3);
});

/** A negative zero does not survive JSON. */
const finite = (min: number, max: number) =>
  fc.double({ min, max, noNaN: true }).map((value) => value + 0);

test("bounds and counts are those of the events, whatever was added, changed and removed", async () => {
  const { context } = catalogues;
  const change = fc.record({
    kind: fc.constantFrom("change", "remove", "add"),
    pick: fc.nat(1000),
    latitude: finite(-90, 90),
    magnitude: finite(-3, 10),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      const id = await createdFrom(context, generatedRecords(3, 4));
      for (const [i, { kind, pick, latitude, magnitude }] of changes.entries()) {
        const events = await eventsOf(id);
        const event = events[pick % Math.max(events.length, 1)];
        if (kind === "add" || event === undefined) {
          const [record] = generatedRecords(100 + i, 1);
          if (!record) throw new Error("nothing was generated");
          const added = { ...record, source_id: null, latitude, magnitude };
          await addRecords(catalogues, id, [added], { updateExisting: false });
        } else if (kind === "remove") {
          await removeEventCommand(context, newCommand(), id, event.id, null);
        } else {
          const patch = { latitude, magnitude };
          await changeEventCommand(context, newCommand(), id, event.id, patch, null);
        }
      }
      const events = await eventsOf(id);
      const records = events.map((event) => ({ ...event, source_events: null }));
      const catalogue = await catalogueById(context.pool, id, SERVICE);
      expect(catalogue).toMatchObject(boundsOf(columnsOf(records)));
      expect(catalogue?.event_count).toBe(events.length);
    }),
    { numRuns: runs(25) },
  );
});

test("the hash of a version is that of the hash before it and of its chunks", async () => {
  const { context } = catalogues;
  const id = await createdFrom(context, generatedRecords(4, 3_000));
  const [event] = await eventsOf(id);
  await changeEventCommand(context, newCommand(), id, event?.id ?? "", { depth: 7 }, null);
  let hash = "";
  for (const version of [1, 2]) {
    const chunks = await context.log.read(revisionStream(id, version), 0, 1000);
    const next = createHash("sha256").update(hash);
    for (const { data } of chunks) {
      next.update(
        createHash("sha256")
          .update(data as Uint8Array)
          .digest("hex"),
      );
    }
    hash = next.digest("hex");
  }
  const { content_hash } = await context.pool.one(sql.type(z.object({ content_hash: z.string() }))`
    select v.content_hash from read_model.catalogue_versions v
    join read_model.catalogues c on c.key = v.catalogue_key
    where c.id = ${id}::uuid and v.version = 2`);
  expect(content_hash).toBe(hash);
});

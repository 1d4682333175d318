import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type CatalogueEvent, NO_BOUNDS } from "#contracts/events/catalogues.ts";
import type { ScheduleSettings } from "#contracts/events/imports.ts";
import { catalogueStream } from "#contracts/events/log.ts";
import { toNewEvents } from "#infra/log/domain-events.ts";
import type { EventLog } from "#infra/log/event-log.ts";
import type { Command, CommandContext } from "#services/context.ts";
import { ABSENT, evolve } from "#services/domain/catalogues/catalogue.ts";
import { changeEventCommand } from "#services/events/commands.ts";
import { createCatalogueStates, loadCatalogue } from "#services/streams.ts";
import {
  createdFrom,
  firstEventOf,
  generatedRecords,
} from "../../support/catalogues/catalogue-scene.ts";
import { eventEditOf, newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { createInMemoryEventLog } from "../../support/in-memory-event-log.ts";
import { collectingLogger, silentLogger } from "../../support/logger.ts";
import { runs } from "../../support/runs.ts";

const catalogues = useCatalogues();
const NOTHING_KEPT = { find: async () => null, keep: async () => {} };

/** The context as another process has it, and the number of events that it reads from the log. */
function anotherProcess(storeEvery?: number): {
  context: CommandContext;
  reads: { events: number };
} {
  const { context } = catalogues;
  const reads = { events: 0 };
  const log: EventLog = {
    ...context.log,
    read: async (...request) => {
      const events = await context.log.read(...request);
      reads.events += events.length;
      return events;
    },
  };
  return {
    context: {
      ...context,
      log,
      catalogueStates: createCatalogueStates(context.pool, silentLogger(), storeEvery),
    },
    reads,
  };
}

/** Appends versions without changes, up to this one, and waits until they are visible. */
async function versionsUpTo(catalogueId: string, last: number): Promise<void> {
  const { log, untilVisible } = catalogues.context;
  const stream = catalogueStream(catalogueId);
  const { state, revision } = await loadCatalogue(anotherProcess().context, catalogueId);
  if (state.status !== "existing") throw new Error("the catalogue is not there");
  const { eventCount, bounds, contentHash } = state;
  const events = Array.from({ length: last - state.version }, (_, i) =>
    versionOf(catalogueId, state.version + 1 + i, { eventCount, bounds, contentHash }),
  ).flat();
  const origin = { commandId: randomUUID(), actor: "user_1_tester", at: new Date() };
  for (let from = 0; from < events.length; from += 1_000) {
    const first = revision + 1 + from;
    const part = toNewEvents(stream, first, events.slice(from, from + 1_000), origin);
    const { position } = await log.append(stream, first - 1, part);
    await untilVisible("catalogues", position);
  }
}

function versionOf(
  catalogueId: string,
  revision: number,
  after = { eventCount: 0, bounds: NO_BOUNDS, contentHash: "" },
): CatalogueEvent[] {
  const version = { catalogueId, revision, cause: "edit" } as const;
  const counts = { chunks: 0, added: 0, updated: 0, removed: 0, ...after };
  return [
    { type: "RevisionOpened", data: { ...version, worker: "w" } },
    { type: "RevisionCommitted", data: { ...version, ...counts } },
  ];
}

test("an edit reads as much of the log at version 40 of a catalogue as at version 10, also by another process", async () => {
  const id = await createdFrom(catalogues.context, generatedRecords(5, 20));
  const eventId = await firstEventOf(catalogues.context, id);
  let depth = 0;
  const edit = async ({ context, reads }: ReturnType<typeof anotherProcess>, command?: Command) => {
    const before = reads.events;
    depth += 1;
    await changeEventCommand(eventEditOf(context, id, eventId, command ?? newCommand()), { depth });
    return reads.events - before;
  };
  const process = anotherProcess(20);
  await versionsUpTo(id, 9);
  await edit(process);
  const early = await edit(process);
  expect(early).toBeLessThan(10);
  await versionsUpTo(id, 40);
  await edit(process);
  expect(await edit(process)).toBe(early);
  expect(await edit(anotherProcess(20))).toBeLessThan(10);
});

test("a retried command looks for its first run no further back than two days", async () => {
  const { context } = catalogues;
  const id = await createdFrom(context, generatedRecords(6, 20));
  const eventId = await firstEventOf(catalogues.context, id);
  await versionsUpTo(id, 600);
  const { context: other, reads } = anotherProcess();
  const later = { ...other, now: () => new Date(Date.now() + 72 * 60 * 60 * 1000) };
  await changeEventCommand(eventEditOf(later, id, eventId), { depth: 1 });
  reads.events = 0;
  const again = { ...newCommand(), retried: true };
  await changeEventCommand(eventEditOf(later, id, eventId, again), { depth: 2 });
  expect(reads.events).toBeLessThan(1_100);
});

/** A stream's events by their kinds, as far as they fit the state. */
const kinds = fc.array(
  fc.constantFrom(
    ...["rename", "publish", "describe", "edit", "open", "abandon", "share", "end"],
    ...["schedule", "reschedule", "unschedule"],
  ),
  { maxLength: 30 },
);

function eventsFor(catalogueId: string, chosen: readonly string[]): CatalogueEvent[] {
  const form = { catalogueId, name: "a", isPublic: false, createdBy: "user_1_tester" };
  const events: CatalogueEvent[] = [{ type: "CatalogueCreated", data: form }];
  let revision = 0;
  const shares: string[] = [];
  const schedules: string[] = [];
  const add = (...more: CatalogueEvent[]) => void events.push(...more);
  const withLast = (ids: string[], eventOf: (id: string) => CatalogueEvent) =>
    add(...ids.slice(-1).map(eventOf));
  for (const [i, kind] of chosen.entries()) {
    const made: Readonly<Record<string, () => void>> = {
      rename: () => add({ type: "CatalogueRenamed", data: { catalogueId, name: `name ${i}` } }),
      publish: () => {
        const data = { catalogueId, isPublic: true, publicFrom: revision + 1 };
        add({ type: "VisibilityChanged", data });
      },
      describe: () => {
        const metadata = { title: `title ${i}`, creators: [{ name: "Ngā Rū" }] };
        add({ type: "MetadataChanged", data: { catalogueId, metadata } });
      },
      edit: () => {
        revision += 1;
        add(...versionOf(catalogueId, revision));
      },
      open: () => {
        revision += 1;
        add(...versionOf(catalogueId, revision).slice(0, 1));
      },
      abandon: () => {
        const data = { catalogueId, revision: revision + 1, reason: "x" };
        add({ type: "RevisionAbandoned", data });
      },
      share: () => {
        const shareId = randomUUID();
        shares.push(shareId);
        const expiresAt = i % 2 === 0 ? null : "2030-01-01T00:00:00.000Z";
        const data = { catalogueId, shareId, label: null, secretHash: "0".repeat(64), expiresAt };
        add({ type: "CatalogueShared", data });
      },
      end: () => {
        withLast(shares, (shareId) => ({ type: "ShareEnded", data: { catalogueId, shareId } }));
        shares.pop();
      },
      schedule: () => {
        const scheduleId = randomUUID();
        schedules.push(scheduleId);
        const data = { catalogueId, scheduleId, maker: "user_1_tester", settings: SETTINGS };
        add({ type: "ScheduleMade", data });
      },
      reschedule: () => {
        const settings = { ...SETTINGS, paused: true, pausedBecause: "so" };
        withLast(schedules, (scheduleId) => {
          return { type: "ScheduleChanged", data: { catalogueId, scheduleId, settings } };
        });
      },
      unschedule: () => {
        withLast(schedules, (scheduleId) => {
          return { type: "ScheduleEnded", data: { catalogueId, scheduleId } };
        });
        schedules.pop();
      },
    };
    made[kind]?.();
  }
  return events;
}

const SETTINGS: ScheduleSettings = {
  ...{ agency: "geonet", everyMinutes: 60, lookbackHours: 24, detail: "full", push: false },
  filters: {
    ...{ minMagnitude: 2, maxMagnitude: null, minDepth: null, maxDepth: null },
    ...{ minLatitude: null, maxLatitude: null, minLongitude: 165, maxLongitude: -175 },
  },
  ...{ updateExisting: true, withdrawn: "mark", paused: false, pausedBecause: null },
};

test("a kept state with the events after it is the state of all events, whoever kept it", async () => {
  await fc.assert(
    fc.asyncProperty(
      kinds,
      fc.array(fc.boolean()),
      fc.boolean(),
      async (chosen, fresh, deleted) => {
        const { pool } = catalogues.context;
        const log = createInMemoryEventLog();
        const id = randomUUID();
        const stream = catalogueStream(id);
        const events = eventsFor(id, chosen);
        if (deleted) events.push({ type: "CatalogueDeleted", data: { catalogueId: id } });
        const origin = { commandId: randomUUID(), actor: "system", at: new Date() };
        let catalogueStates = createCatalogueStates(pool, silentLogger(), 3);
        for (const [revision, event] of events.entries()) {
          await log.append(stream, revision - 1, toNewEvents(stream, revision, [event], origin));
          if (fresh[revision]) catalogueStates = createCatalogueStates(pool, silentLogger(), 3);
          if (fresh[revision] === undefined) continue;
          const { state } = await loadCatalogue({ log, catalogueStates }, id);
          expect(state).toEqual(events.slice(0, revision + 1).reduce(evolve, ABSENT));
        }
        const kept = await loadCatalogue({ log, catalogueStates }, id);
        expect(kept).toEqual(await loadCatalogue({ log, catalogueStates: NOTHING_KEPT }, id));
      },
    ),
    { numRuns: runs(60, 1 / 3) },
  );
});

test("a state that was kept of another log, or of what an older copy of the log has lost, is not used", async () => {
  const { pool } = catalogues.context;
  const id = randomUUID();
  const stream = catalogueStream(id);
  const logWith = async (chosen: readonly string[]) => {
    const log = createInMemoryEventLog();
    const origin = { commandId: randomUUID(), actor: "system", at: new Date() };
    await log.append(stream, -1, toNewEvents(stream, 0, eventsFor(id, chosen), origin));
    return log;
  };
  const edits = Array.from({ length: 10 }, () => "edit");
  const log = await logWith([...edits, "rename"]);
  await loadCatalogue({ log, catalogueStates: createCatalogueStates(pool, silentLogger(), 3) }, id);
  for (const other of [edits, [...edits, "publish"], [...edits, ...edits]]) {
    const restored = await logWith(other);
    const catalogueStates = createCatalogueStates(pool, silentLogger(), 3);
    expect(await loadCatalogue({ log: restored, catalogueStates }, id)).toEqual(
      await loadCatalogue({ log: restored, catalogueStates: NOTHING_KEPT }, id),
    );
  }
});

test("a table of states that takes none, or cannot be read, costs the decision nothing but time", async () => {
  const { context, projectorPool } = catalogues;
  const id = await createdFrom(context, generatedRecords(7, 20));
  await versionsUpTo(id, 20);
  const eventId = await firstEventOf(catalogues.context, id);
  const { log, lines } = collectingLogger();
  const decide = async (depth: number) => {
    const catalogueStates = createCatalogueStates(context.pool, log, 3);
    const { version } = await changeEventCommand(
      eventEditOf({ ...context, catalogueStates }, id, eventId),
      { depth },
    );
    return version;
  };
  await projectorPool.query(
    "alter table coordination.catalogue_states add constraint closed check (false) not valid",
  );
  expect(await decide(1)).toBe(21);
  await projectorPool.query("alter table coordination.catalogue_states rename to closed");
  expect(await decide(2)).toBe(22);
  await projectorPool.query("alter table coordination.closed rename to catalogue_states");
  await projectorPool.query("alter table coordination.catalogue_states drop constraint closed");
  expect(new Set(lines.map(({ msg }) => msg))).toEqual(
    new Set(["states of catalogues cannot be kept"]),
  );
});

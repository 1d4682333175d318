import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  changeEventCommand,
  removeEventCommand,
} from "#services/commands/catalogues/change-event.ts";
import { runs } from "../../support/runs.ts";
import { addRecords } from "./additions.ts";
import { createdFrom, generatedRecords } from "./catalogue-scene.ts";
import { newCommand, useCatalogues } from "./use-catalogues.ts";

const catalogues = useCatalogues();

const PATTERN = generatedRecords(3, 1)[0] as SeismicEventRecord;
let made = 0;

/** Events at these longitudes, with ids of their own. */
function recordsAt(longitudes: readonly number[]): SeismicEventRecord[] {
  return longitudes.map((longitude) => {
    made += 1;
    return { ...PATTERN, longitude, source_id: `event ${made}`, extra: null };
  });
}

type Box = { readonly west: number | null; readonly east: number | null };

async function boxOf(id: string): Promise<Box> {
  const { rows } = await catalogues.projectorPool.query<Box>(
    "select box_west as west, box_east as east from read_model.catalogues where id = $1",
    [id],
  );
  return rows[0] as Box;
}

async function eventsOf(id: string): Promise<{ id: string; longitude: number }[]> {
  const { rows } = await catalogues.projectorPool.query(
    `select event_id as id, longitude from read_model.seismic_events
     join read_model.catalogues on key = catalogue_key
     where catalogues.id = $1 and revision_to is null order by event_id`,
    [id],
  );
  return rows;
}

const MIGRATION = join(
  import.meta.dirname,
  "../../../infra/postgres/migrations/0034-boxes-of-catalogues.sql",
);

/** The box that the migration gives a catalogue of an older installation. */
async function migratedBox(id: string): Promise<Box> {
  const { projectorPool } = catalogues;
  const text = await readFile(MIGRATION, "utf8");
  await projectorPool.query("update read_model.catalogues set box_west = null, box_east = null");
  await projectorPool.query(text.slice(text.indexOf("update read_model.catalogues")));
  return boxOf(id);
}

/** Degrees from one longitude to another, going east. */
const eastwards = (from: number, to: number) => (((to - from) % 360) + 360) % 360;

/** The oracle: of the boxes that begin at an event and end at the last one eastwards, the narrowest's width. */
function leastWidth(longitudes: readonly number[]): number {
  const widths = longitudes.map((west) =>
    Math.max(...longitudes.map((longitude) => eastwards(west, longitude))),
  );
  return Math.min(...widths);
}

function expectSmallest({ west, east }: Box, longitudes: readonly number[]): void {
  if (longitudes.length === 0) {
    expect({ west, east }).toEqual({ west: null, east: null });
    return;
  }
  expect(longitudes).toContain(west);
  expect(longitudes).toContain(east);
  const width = eastwards(west ?? 0, east ?? 0);
  expect(width).toBeCloseTo(leastWidth(longitudes), 9);
  for (const longitude of longitudes) {
    expect(eastwards(west ?? 0, longitude)).toBeLessThanOrEqual(width + 1e-9);
  }
}

const longitude = fc.oneof(
  fc.integer({ min: -180, max: 180 }),
  fc.integer({ min: -6, max: 6 }).map((sixth) => sixth * 30),
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.constantFrom(-180, 180, 179.999, -179.995, 178, -178),
);
const step = fc.oneof(
  fc.record({ kind: fc.constant("add"), at: fc.array(longitude, { maxLength: 4 }) } as const),
  fc.record({ kind: fc.constant("move"), which: fc.nat(), to: longitude } as const),
  fc.record({ kind: fc.constant("deepen"), which: fc.nat(), depth: fc.nat(700) } as const),
  fc.record({ kind: fc.constant("remove"), which: fc.nat() } as const),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function take(id: string, taken: Step): Promise<void> {
  const { context } = catalogues;
  if (taken.kind === "add") {
    await addRecords(catalogues, id, recordsAt(taken.at), { updateExisting: false });
    return;
  }
  const events = await eventsOf(id);
  const event = events[taken.which % events.length]?.id;
  if (event === undefined) return;
  if (taken.kind === "remove") await removeEventCommand(context, newCommand(), id, event, null);
  else {
    const change = taken.kind === "move" ? { longitude: taken.to } : { depth: taken.depth };
    await changeEventCommand(context, newCommand(), id, event, change, null);
  }
}

test("whatever is done, a catalogue has the smallest box, as if it were looked for anew", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(longitude, { maxLength: 12 }),
      fc.array(step, { maxLength: 6 }),
      async (given, steps) => {
        const id = await createdFrom(catalogues.context, recordsAt(given));
        expectSmallest(await boxOf(id), given);
        for (const taken of steps) {
          await take(id, taken);
          expectSmallest(
            await boxOf(id),
            (await eventsOf(id)).map(({ longitude }) => longitude),
          );
        }
        const box = await boxOf(id);
        expect(await migratedBox(id)).toEqual(box);
      },
    ),
    { numRuns: runs(150) },
  );
});

test("a box around all the world leaves out the widest gap, however narrow", async () => {
  const degrees = Array.from({ length: 36_000 }, (_, i) => (i - 18_000) / 100);
  const records = recordsAt(degrees.filter((degree) => degree !== 12));
  const id = await createdFrom(catalogues.context, records);
  expect(await boxOf(id)).toEqual({ west: 12.01, east: 11.99 });
  await addRecords(catalogues, id, recordsAt([12]), { updateExisting: false });
  const closed = await boxOf(id);
  expect(eastwards(closed.west ?? 0, closed.east ?? 0)).toBeCloseTo(359.99, 6);
});

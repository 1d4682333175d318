import { sql } from "slonik";
import { expect, test } from "vitest";
import { z } from "zod";
import type { MergeConfig } from "#contracts/merge/merge-config.ts";
import {
  emptyRecord,
  type SeismicEvent,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { GROUPING_RULES } from "#services/domain/merge/grouping/group-events.ts";
import { createdFrom } from "../catalogues/catalogue-scene.ts";
import { useMerges } from "./use-merges.ts";

const merges = useMerges();

const config: MergeConfig = {
  timeThreshold: 10,
  distanceThreshold: 30,
  mergeStrategy: "newest",
  priority: "",
  linkage: "complete",
};

const at = (
  time: string,
  latitude: number,
  known: Partial<SeismicEventRecord> = {},
): SeismicEventRecord => ({
  ...emptyRecord({ time: `2020-01-01T${time}Z`, latitude, longitude: 10 }),
  magnitude: 4,
  ...known,
});

const membersOf = ({ source_events: members }: SeismicEvent) =>
  (members ?? []).map(({ event_id: id }) => id).sort();

async function scene() {
  const { context } = merges.catalogues;
  const a = await createdFrom(context, [at("00:00:00", 1), at("01:00:00", 2), at("02:00:00", 3)]);
  const b = await createdFrom(context, [at("00:00:02", 1), at("01:00:02", 2), at("05:00:00", 3)]);
  const sources = [
    { id: a, source: "A" },
    { id: b, source: "B" },
  ];
  const id = await merges.merge(sources, config);
  const [a0, a1, a2] = (await merges.eventsOf(a)) as [SeismicEvent, SeismicEvent, SeismicEvent];
  const [b0, b1, b2] = (await merges.eventsOf(b)) as [SeismicEvent, SeismicEvent, SeismicEvent];
  return { id, a, b, sources, a0, a1, a2, b0, b1, b2 };
}

/** The events of a merge by their members. */
async function byMembers(id: string): Promise<Map<string, SeismicEvent>> {
  const events = await merges.eventsOf(id);
  return new Map(events.map((event) => [membersOf(event).join(" "), event]));
}

test("a refresh from unchanged sources makes no version", async () => {
  const { id } = await scene();
  expect(await merges.refresh(id)).toEqual({ version: 1, added: 0, updated: 0, removed: 0 });
  expect(await merges.versionsOf(id)).toHaveLength(1);
});

test("a merge that earlier rules have grouped is grouped by today's at its next refresh, which is recorded", async () => {
  const { id } = await scene();
  const { pool } = merges.catalogues.context;
  const rules = () =>
    pool.oneFirst(sql.type(z.object({ rules: z.int().nullable() }))`
      select merge_rules as rules from read_model.catalogues where id = ${id}::uuid`);
  expect(await rules()).toBe(GROUPING_RULES);
  await pool.query(sql.unsafe`
    update read_model.catalogues set merge_rules = null where id = ${id}::uuid`);
  expect(await merges.refresh(id)).toMatchObject({ version: 1 });
  expect(await rules()).toBe(GROUPING_RULES);
});

test("a refresh writes what its sources changed, and events keep their ids", async () => {
  const { id, a, b, a0, a1, a2, b0, b1, b2 } = await scene();
  const before = await byMembers(id);
  const idOf = (...members: SeismicEvent[]) =>
    before.get(
      members
        .map(({ id: one }) => one)
        .sort()
        .join(" "),
    )?.id;
  const { id: _, ...first } = a0;
  // a0 leaves b0, whose solution was chosen; a new event comes to b2; a2 is removed.
  await merges.change(a, {
    add: [at("05:00:01", 3)],
    update: new Map([[a0.id, { ...first, time: "2020-01-01T09:00:00Z" }]]),
    remove: [a2.id],
  });
  expect(await merges.refresh(id)).toEqual({ version: 2, added: 1, updated: 2, removed: 1 });
  const after = await byMembers(id);
  expect(after.get(b0.id)?.id).toBe(idOf(a0, b0));
  expect(after.get([a1.id, b1.id].sort().join(" "))?.id).toBe(idOf(a1, b1));
  const a3 = (await merges.eventsOf(a)).at(-1);
  expect(after.get([a3?.id, b2.id].sort().join(" "))?.id).toBe(idOf(b2));
  expect(after.get(a0.id)?.id).not.toBe(idOf(a0, b0));
  expect(after.size).toBe(4);
  const again = await merges.merge(
    [
      { id: a, source: "A" },
      { id: b, source: "B" },
    ],
    config,
  );
  const withoutId = (events: SeismicEvent[]) => events.map(({ id: _id, ...event }) => event);
  const byTime = (x: { time: string }, y: { time: string }) => (x.time < y.time ? -1 : 1);
  expect(withoutId(await merges.eventsOf(id)).sort(byTime)).toEqual(
    withoutId(await merges.eventsOf(again)).sort(byTime),
  );
  expect(await merges.refresh(id)).toEqual({ version: 2, added: 0, updated: 0, removed: 0 });
});

import fc from "fast-check";
import type { Pool } from "pg";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { ModelCatalogue } from "./model-catalogue.ts";

/** Ids as events have them, which share bare ids and change places. */
const NAMES: readonly [string | null, string | null][] = [
  ["a1", null],
  ["b2", null],
  ["a1", "smi:x/event/a1"],
  ["smi:y/event/a1", null],
  ["smi:y/event/b2", "smi:y/event/b2"],
  [null, "smi:x/event/b2"],
  [null, null],
];
export const ASKED = [
  "a1",
  "b2",
  "smi:x/event/a1",
  "smi:y/event/a1",
  "smi:x/event/b2",
  "c3",
  "smi:z/a1",
];

export function record([sourceId, publicId]: (typeof NAMES)[number]): SeismicEventRecord {
  return {
    ...emptyRecord({ time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 }),
    source_id: sourceId,
    extra: publicId === null ? null : { public_id: publicId },
  };
}

const anyNames = fc.constantFrom(...NAMES);
/** A step takes the event by its place among those that are there, where it takes one. */
export const anyStep = fc.oneof(
  fc.record({ add: fc.array(anyNames, { minLength: 1, maxLength: 2 }) }),
  fc.record({ rename: fc.nat(9), to: anyNames }),
  fc.record({ remove: fc.nat(9) }),
  fc.record({ restore: fc.nat(9), as: anyNames }),
  fc.constant({ abandon: true as const }),
);
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

export async function take(catalogue: ModelCatalogue, step: Step): Promise<void> {
  const there = catalogue.events();
  const at = (place: number) => there[place % Math.max(there.length, 1)];
  if ("add" in step) {
    await catalogue.commit({ add: step.add.map(record) });
  } else if ("rename" in step) {
    const event = at(step.rename);
    if (event) await catalogue.commit({ update: [{ ...event, ...record(step.to) }] });
  } else if ("remove" in step) {
    const event = at(step.remove);
    if (event) await catalogue.commit({ remove: [event.id] });
  } else if ("restore" in step) {
    const ids = new Set(there.map(({ id }) => id));
    const gone = everSeen(catalogue, 0, catalogue.latest()).filter((id) => !ids.has(id));
    const id = gone[step.restore % Math.max(gone.length, 1)];
    if (id !== undefined) await catalogue.commit({ update: [{ id, ...record(step.as) }] });
  } else {
    const [event] = there;
    await catalogue.open({ add: [record(["c3", null])], remove: event ? [event.id] : [] });
    await catalogue.abandon();
  }
}

export function everSeen({ versions }: ModelCatalogue, from: number, to: number): string[] {
  const seen = [...versions].filter(([version]) => version >= from && version <= to);
  return [...new Set(seen.flatMap(([, events]) => [...events.keys()]))];
}

/** Adds 20,000 events with ids of all kinds, half of which version 2 removes. */
export async function fillWithIds(writer: Pool, { key }: ModelCatalogue): Promise<void> {
  await writer.query(
    `insert into read_model.seismic_events
       (catalogue_key, revision_from, revision_to, event_id, time, time_digits, latitude, longitude,
        source_id, extra)
     select $1, 1, case when i % 2 = 0 then 2 end, gen_random_uuid(), timestamptz '2000-01-01', 0, 1, 2,
       case when i % 9 = 0 then 'smi:a/' else '' end || 'ev' || i,
       json_build_object('public_id', 'smi:b/ev' || i)
     from generate_series(1, 20000) i`,
    [key],
  );
  await writer.query("vacuum analyze read_model.seismic_events");
}

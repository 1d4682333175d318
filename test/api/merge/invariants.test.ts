import fc from "fast-check";
import { expect, test } from "vitest";
import type { MergePreview } from "#contracts/http/merges/merge.ts";
import { Linkage, type MergeConfig } from "#contracts/merge/merge-config.ts";
import type { JsonObject, SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { clientOf } from "../../support/api/client-of.ts";
import {
  exportedEvents,
  merge,
  mergeForm,
  placeOf,
  type Source,
  sourceOf,
} from "../../support/api/merges.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";

const RUNS = 10;
const START_MS = Date.UTC(2016, 10, 13);

/** Some uncertainties, qualities and shared source ids, so that every strategy has what to decide by. */
const attributes = fc.record(
  {
    magnitude_type: fc.constantFrom("ML", "Mw", "mb"),
    used_station_count: fc.integer({ min: 0, max: 40 }),
    magnitude_uncertainty: fc.constantFrom(0.1, 0.3, 0.7),
    horizontal_uncertainty: fc.constantFrom(0.5, 2, 8),
    time_uncertainty: fc.constantFrom(0.1, 0.4),
    depth_uncertainty: fc.constantFrom(1, 3),
    evaluation_mode: fc.constantFrom("manual", "automatic"),
    region: fc.constantFrom("Cook Strait", "Kermadecs"),
  },
  { requiredKeys: [] },
);

/** Events of few minutes and few places, on both sides of the antimeridian: many are near others. */
const event = fc
  .record({
    second: fc.integer({ min: 0, max: 300 }),
    latitude: fc.integer({ min: -10, max: 10 }),
    longitude: fc.integer({ min: -10, max: 10 }),
    magnitude: fc.integer({ min: 10, max: 60 }),
    attributes,
  })
  .map(({ second, latitude, longitude, magnitude, attributes: known }): JsonObject => {
    const east = 179.98 + longitude / 100;
    return {
      time: new Date(START_MS + second * 1000).toISOString(),
      latitude: -30 + latitude / 100,
      longitude: Math.round((east > 180 ? east - 360 : east) * 100) / 100,
      depth: 12,
      magnitude: magnitude / 10,
      ...known,
    };
  });

/** The events of one catalogue; their source ids are those of every other catalogue too. */
const sourceEvents = fc
  .uniqueArray(event, {
    maxLength: 25,
    selector: ({ time, latitude, longitude }) => `${time} ${latitude} ${longitude}`,
  })
  .map((events) => events.map((one, i): JsonObject => ({ source_id: `event ${i}`, ...one })));

const mergeConfig: fc.Arbitrary<MergeConfig> = fc.record({
  timeThreshold: fc.constantFrom(0, 2, 16, 60),
  distanceThreshold: fc.constantFrom(0, 1, 5, 50),
  mergeStrategy: fc.constantFrom("quality", "priority", "average", "newest", "complete"),
  priority: fc.constantFrom("", "SOURCE 1", "source 2", "nobody"),
  linkage: fc.constantFrom(...Linkage.options),
});

const service = sharedService();
const client = clientOf(service, "editor");
const sourcesOf = (catalogues: readonly (readonly unknown[])[]): Promise<Source[]> =>
  Promise.all(catalogues.map((events, i) => sourceOf(client, `source ${i + 1}`, events)));

/** What is known of an event but for the ids that every catalogue gives anew. */
const knownOf = ({ id: _, source_events: __, ...known }: SeismicEvent) => known;
const keyOf = (event: SeismicEvent) => JSON.stringify(knownOf(event));

test("every event of the sources is in one group, of one event for each source at most", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sourceEvents, { minLength: 2, maxLength: 4 }),
      mergeConfig,
      async (catalogues, config) => {
        const sources = await sourcesOf(catalogues);
        const result = await merge(client, sources, config);
        const events = await exportedEvents(client, result.catalogueId);
        const groups = events.map(({ source_events: members = [] }) => members ?? []);
        const removed = groups.reduce((sum, members) => sum + members.length - 1, 0);

        expect(result.originalEventCount).toBe(catalogues.flat().length);
        expect(result.eventCount).toBe(events.length);
        expect(result.duplicatesRemoved).toBe(removed);
        expect(result.eventCount + removed).toBe(result.originalEventCount);
        expect(result.duplicateGroups).toBe(groups.filter(({ length }) => length > 1).length);
        const members = groups.flat().map(({ event_id: id }) => id);
        expect(new Set(members).size).toBe(result.originalEventCount);
        for (const group of groups) {
          expect(new Set(group.map(({ catalogue_id: id }) => id)).size).toBe(group.length);
          expect(group.filter(({ chosen }) => chosen)).toHaveLength(1);
        }
        const sourceIds = events.flatMap(({ source_id: id }) => id ?? []);
        expect(new Set(sourceIds).size).toBe(sourceIds.length);
      },
    ),
    { numRuns: runs(RUNS) },
  );
});

test("the order of the sources changes neither the counts nor the groups", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sourceEvents, { minLength: 3, maxLength: 3 }),
      mergeConfig,
      fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
      async (catalogues, config, order) => {
        const sources = await sourcesOf(catalogues);
        const permuted = order.flatMap((i) => sources[i] ?? []);
        const one = await merge(client, sources, config);
        const other = await merge(client, permuted, config);
        // An export is in order of time, and the time of a merged event may be another source's.
        const groupsOf = async (id: string) =>
          (await exportedEvents(client, id))
            .map(({ source_events: members }) => members?.map(({ event_id: event }) => event))
            .sort();
        const { catalogueId: _, ...counts } = one;
        expect(other).toMatchObject(counts);
        expect(await groupsOf(other.catalogueId)).toEqual(await groupsOf(one.catalogueId));
      },
    ),
    { numRuns: runs(RUNS) },
  );
});

test("merging a catalogue with its copy gives the catalogue", async () => {
  await fc.assert(
    fc.asyncProperty(sourceEvents, mergeConfig, async (events, config) => {
      const [original, copy] = await sourcesOf([events, events]);
      if (!original || !copy) throw new Error("two sources were made");
      for (const sources of [
        [original, copy],
        [copy, original],
      ]) {
        const { catalogueId, duplicatesRemoved } = await merge(client, sources, config);
        expect(duplicatesRemoved).toBe(events.length);
        const merged = await exportedEvents(client, catalogueId);
        const before = await exportedEvents(client, original.id);
        expect(merged.map(keyOf).sort()).toEqual(before.map(keyOf).sort());
      }
    }),
    { numRuns: runs(RUNS) },
  );
});

test("a preview counts and groups as the merge then does", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sourceEvents, { minLength: 2, maxLength: 3 }),
      mergeConfig,
      async (catalogues, config) => {
        const sources = await sourcesOf(catalogues);
        const body = mergeForm(sources, config);
        const { body: preview } = await client.send<MergePreview>(
          "POST",
          "/api/merge/preview",
          body,
        );
        const { success: _, catalogueId, ...counts } = await merge(client, sources, config);
        expect(preview).toMatchObject({ ...counts, truncated: false });
        const merged = await exportedEvents(client, catalogueId);
        const originals = new Map<string, SeismicEvent>();
        for (const { id } of sources) {
          for (const event of await exportedEvents(client, id)) originals.set(event.id, event);
        }
        const placeById = (id: string | null) => {
          const event = originals.get(id ?? "") ?? expect.fail(`${id} is not there`);
          return placeOf(event);
        };
        const groups = merged.map(({ source_events: members }) =>
          JSON.stringify(members?.map((one) => ({ ...one, ...placeById(one.event_id) }))),
        );
        for (const { first, second } of preview.ambiguous) {
          expect(first).toMatchObject(placeById(first.event_id));
          expect(second).toMatchObject(placeById(second.event_id));
        }
        const previewed = preview.groups.map(({ members }) =>
          JSON.stringify(members.map(({ score_parts, ...member }) => member)),
        );
        for (const { score_parts, quality_score } of preview.groups.flatMap((one) => one.members)) {
          const sum = Object.values(score_parts).reduce((all, part) => all + part, 0);
          expect(sum).toBeCloseTo(quality_score, 1);
        }
        expect(groups).toEqual(expect.arrayContaining(previewed));
        expect(previewed).toHaveLength(counts.duplicateGroups);
        for (const { reason } of preview.groups) expect(reason).toMatch(/\S/);
      },
    ),
    { numRuns: runs(RUNS) },
  );
});

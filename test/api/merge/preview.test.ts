import { describe, expect, test } from "vitest";
import type { MergePreview } from "#contracts/http/merges/merge.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { countLogRows } from "../../support/api/log-rows.ts";
import {
  exportedEvents,
  mergeForm,
  placeOf,
  type Source,
  sourceOf,
} from "../../support/api/merges.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const client = clientOf(service, "editor");
const NO_POINTS = {
  stations: 0,
  gap: 0,
  rms: 0,
  magnitude_uncertainty: 0,
  magnitude_type: 0,
  review: 0,
};

async function preview(sources: readonly Source[]): Promise<MergePreview> {
  const body = mergeForm(sources);
  const answer = await client.send<MergePreview>("POST", "/api/merge/preview", body);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

const at = (second: number, overrides: Readonly<Record<string, unknown>> = {}) =>
  seismicEvent({
    time: new Date(Date.UTC(2020, 0, 1) + second * 1000).toISOString(),
    ...overrides,
  });

describe("POST /api/merge/preview", () => {
  test("answers every part of a score, which make it up", async () => {
    const whole = {
      used_station_count: 20,
      azimuthal_gap: 200,
      standard_error: 0.4,
      magnitude_uncertainty: 0.25,
      magnitude_type: "ML",
      evaluation_status: "preliminary",
      evaluation_mode: "manual",
    };
    const { groups } = await preview([
      await sourceOf(client, "one", [at(0, whole)]),
      await sourceOf(client, "other", [at(1, { ...whole, magnitude: null, azimuthal_gap: 300 })]),
    ]);
    const parts = groups[0]?.members.map(({ score_parts }) => score_parts);
    expect(parts).toMatchObject([
      { rms: 12, magnitude_uncertainty: 8, magnitude_type: 6, review: 4 },
      { gap: 0, rms: 12, magnitude_uncertainty: 0, magnitude_type: 0, review: 4 },
    ]);
    for (const { score_parts, quality_score } of groups[0]?.members ?? []) {
      const sum = Object.values(score_parts).reduce((total, part) => total + part, 0);
      expect(sum).toBeCloseTo(quality_score, 9);
      expect(score_parts.stations).toBeCloseTo((25 * Math.log2(21)) / 5, 9);
    }
  });

  test("answers the counts, the groups with their reasons, and the pairs to look at", async () => {
    const one = await sourceOf(client, "one", [
      at(0, { source_id: "a", magnitude: 5, used_station_count: 31, time: "2020-01-01T00:00:00Z" }),
      at(1000, { source_id: "b", magnitude: 5, depth: null, latitude: -42.695 }),
    ]);
    const other = await sourceOf(client, "other", [
      at(2, { source_id: "c", magnitude: 6.5 }),
      at(1020, { source_id: "d", magnitude: 5.5, depth: 0, latitude: -42.695 }),
      at(9000),
    ]);
    const events = new Map<string, SeismicEvent>();
    for (const { id } of [one, other]) {
      for (const event of await exportedEvents(client, id))
        events.set(event.source_id ?? "", event);
    }
    const place = (source: Source, sourceId: string) => {
      const event = events.get(sourceId);
      if (event === undefined) throw new Error(`${sourceId} is not there`);
      const { id: event_id } = event;
      return {
        catalogue_id: source.id,
        event_id,
        source_id: sourceId,
        source: source.source,
        ...placeOf(event),
      };
    };
    const before = await countLogRows(service);
    expect(await preview([one, other])).toEqual({
      eventCount: 4,
      originalEventCount: 5,
      duplicateGroups: 1,
      duplicatesRemoved: 1,
      groups: [
        {
          reason: "higher quality score: 25.00 against 0.00",
          members: [
            {
              ...place(one, "a"),
              time_difference: 0,
              distance: 0,
              quality_score: 25,
              score_parts: { ...NO_POINTS, stations: 25 },
              chosen: true,
            },
            {
              ...place(other, "c"),
              time_difference: 2,
              distance: 0,
              quality_score: 0,
              score_parts: NO_POINTS,
              chosen: false,
            },
          ],
        },
      ],
      ambiguous: [
        {
          first: place(one, "a"),
          second: place(other, "c"),
          time_difference: 2,
          distance: 0,
          magnitude_difference: 1.5,
        },
        {
          first: place(one, "b"),
          second: place(other, "d"),
          time_difference: 20,
          distance: 0,
          magnitude_difference: 0.5,
        },
      ],
      truncated: false,
    });
    expect(await countLogRows(service)).toBe(before);
  });

  test("answers where the pairs to look at are the first of many events", async () => {
    const doubtful = (magnitude: number, latitude: number) => [
      at(0, { magnitude, latitude: 0 }),
      ...Array.from({ length: 3_000 }, (_, i) => at(100 * (i + 1), { latitude })),
    ];
    const one = await sourceOf(client, "one", doubtful(3, 10));
    const other = await sourceOf(client, "other", doubtful(6, 60));
    const { eventCount, duplicateGroups, ambiguous } = await preview([one, other]);
    expect({ eventCount, duplicateGroups }).toEqual({ eventCount: 6_001, duplicateGroups: 1 });
    expect(ambiguous).toHaveLength(1);
  });

  test("lists the first 1,000 groups and pairs, and says that there are more", async () => {
    const events = (magnitude: number, count: number) =>
      Array.from({ length: count }, (_, i) => at(i * 3600, { magnitude }));
    const [a, b, c] = [
      await sourceOf(client, "a", events(3, 1001)),
      await sourceOf(client, "b", events(5, 1001)),
      await sourceOf(client, "c", events(5, 1000)),
    ];
    const more = await preview([a, b]);
    expect(more).toMatchObject({ duplicateGroups: 1001, truncated: true });
    expect(more.groups).toHaveLength(1000);
    expect(more.ambiguous).toHaveLength(1000);
    const [first] = await exportedEvents(client, a.id);
    expect(more.groups[0]?.members.map(({ event_id: id }) => id)).toContain(first?.id);
    const all = await preview([a, c]);
    expect(all).toMatchObject({ duplicateGroups: 1000, truncated: false });
    expect(all.groups).toHaveLength(1000);
    expect(all.ambiguous).toHaveLength(1000);
  });
});

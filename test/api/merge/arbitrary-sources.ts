import fc from "fast-check";
import { Linkage, type MergeConfig } from "#contracts/merge/merge-config.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";

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
export const sourceEvents = fc
  .uniqueArray(event, {
    maxLength: 25,
    selector: ({ time, latitude, longitude }) => `${time} ${latitude} ${longitude}`,
  })
  .map((events) => events.map((one, i): JsonObject => ({ source_id: `event ${i}`, ...one })));

export const mergeConfig: fc.Arbitrary<MergeConfig> = fc.record({
  timeThreshold: fc.constantFrom(0, 2, 16, 60),
  distanceThreshold: fc.constantFrom(0, 1, 5, 50),
  mergeStrategy: fc.constantFrom("quality", "priority", "average", "newest", "complete"),
  priority: fc.constantFrom("", "SOURCE 1", "source 2", "nobody"),
  linkage: fc.constantFrom(...Linkage.options),
});

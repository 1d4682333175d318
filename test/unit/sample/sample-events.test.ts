import { expect, test } from "vitest";
import { CatalogueMetadataInput } from "#contracts/catalogue-metadata.ts";
import { sampleCatalogue, sampleEvents } from "#services/domain/catalogues/sample.ts";
import { createEventValidator } from "#services/domain/events/validation/validate-event.ts";

const events = sampleEvents();
const numbers = (attribute: string) =>
  events.map((event) => event[attribute]).filter((value) => typeof value === "number");

test("the sample is the same each time it is made", () => {
  expect(sampleEvents()).toEqual(events);
  expect(events.length).toBeGreaterThan(1_000);
});

test("the sample has valid events alone, each with an id of its own, and metadata that are taken", () => {
  const validate = createEventValidator({ nowMs: Date.UTC(2025, 0, 1) });
  for (const event of events) expect(validate(event)).toMatchObject({ ok: true });
  expect(new Set(events.map(({ source_id }) => source_id)).size).toBe(events.length);
  const { metadata, name } = sampleCatalogue();
  expect(CatalogueMetadataInput.parse(metadata)).toEqual(metadata);
  expect(name).toMatch(/^Sample: a made-up/);
});

test("the sample is in order of time, and says in every event that it is made up", () => {
  const times = events.map(({ time }) => String(time));
  expect(times.toSorted()).toEqual(times);
  for (const { region } of events) expect(region).toContain("made up");
});

test("the sample has a main shock, unknown magnitudes, blasts, mechanisms and all classes of depth", () => {
  expect(Math.max(...numbers("magnitude"))).toBe(6.1);
  expect(events.filter(({ magnitude }) => magnitude === null).length).toBeGreaterThan(0);
  expect(events.filter(({ event_type }) => event_type === "quarry blast").length).toBe(14);
  expect(events.filter((event) => "focal_mechanisms" in event).length).toBeGreaterThan(5);
  const limits = [0, 15, 40, 70, 150, 300];
  for (const [i, from] of limits.slice(0, -1).entries()) {
    const inClass = numbers("depth").filter(
      (depth) => depth >= from && depth < (limits[i + 1] ?? 0),
    );
    expect(inClass.length).toBeGreaterThan(20);
  }
});

test("the sample's magnitudes have a b-value near 1 above its completeness", () => {
  const least = 1.8;
  const complete = numbers("magnitude").filter((magnitude) => magnitude >= least - 0.01);
  const mean = complete.reduce((sum, magnitude) => sum + magnitude, 0) / complete.length;
  // Aki and Utsu, for bins of 0.1.
  const b = Math.LOG10E / (mean - (least - 0.05));
  expect(b).toBeGreaterThan(0.85);
  expect(b).toBeLessThan(1.15);
});

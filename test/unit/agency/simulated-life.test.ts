import { expect, test } from "vitest";
import { applyChange, createLife, idOf } from "../../support/agency/life/life.ts";
import { expectedAt } from "../../support/agency/life/oracle.ts";
import type { ServedEvent } from "../../support/agency/served-catalogue.ts";

test("what an agency has at a moment is what its changes up to then have left", () => {
  const life = createLife({ seed: 3, events: 300, ids: "comcat" });
  const state = new Map<string, ServedEvent>();
  for (const change of life.changes) {
    if (change.before !== null) expect(state.get(idOf(change.before))).toBe(change.before);
    applyChange(state, change);
  }
  expect(life.eventsAt(2 * life.toMs)).toEqual(state);
  expect(state.size).toBeGreaterThan(100);
});

test("a window of the oracle crosses the antimeridian and takes no unknown magnitude", () => {
  const life = createLife({ seed: 4, events: 500 });
  const whole = { fromMs: life.fromMs, toMs: life.toMs };
  const all = expectedAt(life, life.toMs, whole);
  const near = expectedAt(life, life.toMs, {
    ...whole,
    filters: { minMagnitude: 0, minLongitude: 179, maxLongitude: -179 },
  });
  expect(near.size).toBeGreaterThan(0);
  expect(near.size).toBeLessThan(all.size);
  for (const { row } of near.values()) {
    expect(Math.abs(Number(row["longitude"]))).toBeGreaterThanOrEqual(179);
    expect(row["magnitude"]).not.toBeNull();
  }
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { CQL2_LIMITS } from "#contracts/cql2/cql2-fault.ts";
import { jsonOf, tasteOf, textOf } from "../../support/cql2/encodings.ts";
import { anyTree, TIMES, VALUES } from "../../support/cql2/tree.ts";
import { type Item, truthOf } from "../../support/cql2/truth.ts";
import { runs } from "../../support/runs.ts";
import { filterScene } from "./ogc-filter-scene.ts";

/** Of each attribute every value and null; places on the corners, edges and insides of the trees' squares. */
const ITEMS: readonly (Item & { readonly source_id: string })[] = Array.from(
  { length: 60 },
  (_, i) => {
    const at = <T>(values: readonly T[], step: number): T | null =>
      [...values, null][(i * step + Math.floor(i / 7)) % (values.length + 1)] ?? null;
    const { magnitude, depth, used_station_count, region, event_type, magnitude_type } = VALUES;
    return {
      source_id: `i${String(i).padStart(2, "0")}`,
      time: TIMES[i % TIMES.length] ?? "",
      longitude: ((i * 7) % 25) * 5 - 60,
      latitude: ((i * 11) % 21) * 5 - 50,
      magnitude: at(magnitude, 1),
      depth: at(depth, 2),
      used_station_count: at(used_station_count, 3),
      region: at(region, 5),
      event_type: at(event_type, 1),
      magnitude_type: at(magnitude_type, 3),
    };
  },
);

const scene = filterScene(ITEMS);

test("the items of a filter are those of which the truth tables say that it is true", async () => {
  const choices = fc.array(fc.boolean(), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(anyTree, choices, async (tree, drawn) => {
      const written = [textOf(tree, tasteOf(drawn)), JSON.stringify(jsonOf(tree))];
      fc.pre(written.every(({ length }) => length < CQL2_LIMITS.characters / 2));
      const expected = ITEMS.filter((item) => truthOf(tree, item) === true);
      expect(await scene.selected(tree, tasteOf(drawn))).toEqual(
        expected.map(({ source_id }) => source_id),
      );
    }),
    { numRuns: runs(1000, 1 / 20) },
  );
});

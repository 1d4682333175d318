import fc from "fast-check";
import { sql } from "slonik";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Position, type Shape, shapeOf } from "#contracts/geometry/shape.ts";
import { withinShape } from "#projections/queries/events/shape-conditions.ts";
import { shapeAndPlaces } from "../../../support/geometry/arbitrary-shapes.ts";
import { closed, isPlaceIn } from "../../../support/geometry/place-oracle.ts";
import { runs } from "../../../support/runs.ts";
import { useReadModel } from "../use-read-model.ts";

const model = useReadModel();

const Row = z.object({ is_in: z.boolean() });

/** Whether PostgreSQL finds each of the places in the shape. */
async function inDatabase(
  shape: Shape,
  places: readonly Position[],
  share = 1,
): Promise<boolean[]> {
  const rows = await model.pool.any(sql.type(Row)`
    select ${sql.join(withinShape(shape, share), sql.fragment` and `)} as is_in
    from ${sql.unnest(
      places.map((place, i) => [i, ...place]),
      ["int4", "float8", "float8"],
    )} as places (i, longitude, latitude)
    order by i`);
  return rows.map((row) => row.is_in);
}

const anyShare = fc.constantFrom(1, 1 / 3, 1 / 100);

test("SQL finds places in shapes as an oracle of whole numbers does", {
  timeout: 1_200_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(shapeAndPlaces(7, 20), anyShare, async ([shape, places], share) => {
      const expected = places.map((place) => isPlaceIn(shape, place));
      expect(await inDatabase(shape, places, share)).toEqual(expected);
    }),
    { numRuns: runs(10_000, 1 / 20) },
  );
});

test("places beyond what products of doubles can tell are told by decimals", async () => {
  const triangle: Position[] = [
    [0, 0],
    [1, 0],
    [0, 1],
  ];
  const shape = shapeOf([[closed(triangle)]]);
  const places: Position[] = [
    [5e-324, 5e-324],
    [-5e-324, 5e-324],
    [0.1, 1e-310],
    [0.1, -1e-310],
    [0.3, 0.7],
    [0.30000000000000004, 0.7],
  ];
  expect(await inDatabase(shape, places)).toEqual(places.map((place) => isPlaceIn(shape, place)));
});

test("many parts that overlap in one place are united", async () => {
  const parts = Array.from({ length: 160 }, (_, i) => {
    const x = i / 1_000;
    return [
      closed([
        [x, 0],
        [x + 1, 0.5],
        [x, 1],
      ]),
    ];
  });
  const shape = shapeOf(parts);
  const places = Array.from({ length: 300 }, (_, i): Position => [i / 250, ((i * 7) % 100) / 100]);
  expect(await inDatabase(shape, places)).toEqual(places.map((place) => isPlaceIn(shape, place)));
});

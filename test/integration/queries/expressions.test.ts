import fc from "fast-check";
import { sql } from "slonik";
import { expect, test } from "vitest";
import { shapeOf } from "#contracts/geometry/shape.ts";
import { predicateOf } from "#contracts/query/event-predicate.ts";
import { type Condition, type Expression, HELD, negated } from "#contracts/query/expression.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { conditionOf } from "#projections/queries/events/event-filters.ts";
import { rowsOf } from "#projections/queries/events/resolve-version.ts";
import { closed } from "../../support/geometry/place-oracle.ts";
import { runs } from "../../support/runs.ts";
import {
  arbitraryLatitude,
  arbitraryLongitude,
  arbitraryMagnitude,
  arbitraryRecord,
  arbitraryTime,
} from "./arbitrary-events.ts";
import { createModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();

const NUMBERS = ["latitude", "longitude", "depth", "magnitude", "used_phase_count"] as const;
const TEXTS = ["magnitude_type", "region", "event_type", "author"] as const;
const operator = fc.constantFrom("=", "<>", "<", "<=", ">", ">=");
const number = fc.oneof(arbitraryMagnitude, arbitraryLatitude, fc.integer({ min: -2, max: 90 }));
const text = fc.oneof(
  fc.constantFrom("ML", "ml", "mb", "earthquake", "", "\uffff", "🌏"),
  fc
    .string({ unit: "binary", maxLength: 3 })
    .map((some) => some.replaceAll("\0", "").toWellFormed()),
);
const pattern = fc
  .array(fc.constantFrom("%", "_", "\\%", "\\\\", "M", "L", "quake", "🌏"), { maxLength: 4 })
  .map((parts) => parts.join(""));
const bound = (value: fc.Arbitrary<number>) => fc.option(value, { nil: undefined });

const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    kind: fc.constant("compare" as const),
    property: fc.constantFrom(...NUMBERS),
    operator,
    value: number,
  }),
  fc.record({
    kind: fc.constant("compare" as const),
    property: fc.constantFrom(...TEXTS),
    operator,
    value: text,
  }),
  fc.record({
    kind: fc.constant("compare" as const),
    property: fc.constant("time" as const),
    operator,
    value: arbitraryTime,
  }),
  fc.record({
    kind: fc.constant("oneOf" as const),
    property: fc.constantFrom(...NUMBERS),
    values: fc.array(number, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant("oneOf" as const),
    property: fc.constantFrom(...TEXTS),
    values: fc.array(text, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant("oneOf" as const),
    property: fc.constant("magnitude_type" as const),
    values: fc.subarray(["ml", "mb", "mü", "M%"], { minLength: 1 }),
    ignoresCase: fc.constant(true as const),
  }),
  fc.record({
    kind: fc.constant("oneOf" as const),
    property: fc.constant("time" as const),
    values: fc.array(arbitraryTime, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant("like" as const),
    property: fc.constantFrom(...TEXTS),
    pattern,
  }),
  fc.record({
    kind: fc.constant("isNull" as const),
    property: fc.constantFrom("time" as const, ...NUMBERS, ...TEXTS),
  }),
  fc.record({
    kind: fc.constant("box" as const),
    west: bound(arbitraryLongitude),
    east: bound(arbitraryLongitude),
    south: bound(arbitraryLatitude),
    north: bound(arbitraryLatitude),
  }),
  fc.record({
    kind: fc.constant("circle" as const),
    latitude: arbitraryLatitude,
    longitude: arbitraryLongitude,
    minKm: bound(fc.double({ min: 1, max: 10_000, noNaN: true })),
    maxKm: bound(fc.double({ min: 1, max: 20_000, noNaN: true })),
  }),
  fc.record({
    kind: fc.constant("shape" as const),
    shape: fc
      .array(fc.tuple(arbitraryLongitude, arbitraryLatitude), { minLength: 3, maxLength: 5 })
      .map((ring) => shapeOf([[closed(ring)]])),
  }),
  fc.record({
    kind: fc.constant("has" as const),
    held: fc.subarray([...HELD], { minLength: 1, maxLength: 2 }),
  }),
  fc.record({
    kind: fc.constant("count" as const),
    of: fc.constantFrom("origins" as const, "magnitudes" as const),
    atLeast: fc.integer({ min: 0, max: 2 }),
  }),
);

const { tree } = fc.letrec<{ tree: Expression }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    condition,
    fc.record({ all: fc.array(tie("tree"), { maxLength: 3 }) }),
    fc.record({ any: fc.array(tie("tree"), { maxLength: 3 }) }),
    tie("tree").map(negated),
  ),
}));

async function idsIn(catalogue: ModelCatalogue, expression: Expression): Promise<string[]> {
  const version = { key: catalogue.key, version: catalogue.latest() };
  const client = await model.writer.connect();
  const ids: string[] = [];
  const query = sql.fragment`
    select event_id from read_model.seismic_events
    where ${rowsOf(version)} and ${conditionOf(expression)}`;
  for await (const rows of copyRows(client, query)) ids.push(...rows.map(([id]) => id ?? ""));
  client.release();
  return ids;
}

test("an expression means in SQL what it means as a predicate", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryRecord, { minLength: 1, maxLength: 12 }),
      fc.array(tree, { minLength: 1, maxLength: 20 }),
      async (records, expressions) => {
        const catalogue = await createModelCatalogue(model.writer);
        await catalogue.commit({ add: records });
        for (const expression of expressions) {
          const isMeant = predicateOf(expression) ?? (() => true);
          const meant = catalogue.events().filter(isMeant);
          const found = await idsIn(catalogue, expression);
          expect(found.toSorted(), JSON.stringify(expression)).toEqual(
            meant.map(({ id }) => id).toSorted(),
          );
        }
      },
    ),
    { numRuns: runs(200) },
  );
});

test("an unknown attribute satisfies neither a condition nor its negation", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRecord, condition, async (record, each) => {
      fc.pre(each.kind === "compare" || each.kind === "like" || each.kind === "oneOf");
      const unknown = { ...record, [each.property]: null };
      fc.pre(
        each.property !== "time" && each.property !== "latitude" && each.property !== "longitude",
      );
      const isMeant = predicateOf({ any: [each, negated(each)] });
      expect(isMeant?.(unknown)).toBe(false);
    }),
  );
});

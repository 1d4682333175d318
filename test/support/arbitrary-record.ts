import fc from "fast-check";
import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  type Attribute,
} from "#contracts/seismic-event/attributes.ts";
import {
  emptyRecord,
  type JsonObject,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { microsToTime } from "#contracts/seismic-event/time.ts";

/** Text as it may be stored: well-formed and without NUL. */
export const storableText = fc
  .string({ unit: "binary", maxLength: 20 })
  .map((text) => text.replaceAll("\0", ""))
  .filter((text) => text.trim() !== "");

/** Valid canonical times from year 1000 to 2020. */
export const pastTime = fc
  .tuple(
    fc.bigInt({ min: -30_610_224_000_000_000n, max: 1_577_836_800_000_000n }),
    fc.integer({ min: 0, max: 6 }),
  )
  .map(([micros, digits]) => microsToTime(micros, digits));

const structure = fc
  .dictionary(storableText, fc.jsonValue({ maxDepth: 3, stringUnit: "grapheme" }), { maxKeys: 4 })
  // At no depth: JSON carries it, and no object of ours may have it.
  .filter((object) => !JSON.stringify(object).includes('"__proto__"')) as fc.Arbitrary<JsonObject>;

function scalar(attribute: Attribute): fc.Arbitrary<string | number> {
  const { kind, min = 0, max = 1e300, values = [] } = attribute;
  if (kind === "integer") return fc.integer({ min, max });
  if (kind === "number") return fc.double({ min, max, noNaN: true });
  return kind === "text" ? storableText : fc.constantFrom(...values);
}

const optionalScalars = fc.record(
  Object.fromEntries(ATTRIBUTE_NAMES.map((name) => [name, fc.option(scalar(ATTRIBUTES[name]))])),
);

/** Any valid record: every attribute there or null, numbers up to the sign of zero. */
export const anyRecord: fc.Arbitrary<SeismicEventRecord> = fc
  .tuple(
    fc.record({
      time: pastTime,
      latitude: fc.double({ min: -90, max: 90, noNaN: true }),
      longitude: fc.double({ min: -180, max: 180, noNaN: true }),
    }),
    optionalScalars,
    fc.record({
      focal_mechanisms: fc.option(fc.array(structure, { minLength: 1, maxLength: 2 })),
      extra: fc.option(structure),
    }),
  )
  .map(([origin, scalars, structures]) => ({
    ...emptyRecord(origin),
    ...scalars,
    ...structures,
    ...origin,
  }));

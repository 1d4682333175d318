import fc from "fast-check";
import type {
  JsonObject,
  JsonValue,
  SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { storableText } from "../arbitrary-record.ts";

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: 0, max: 360 }),
);
const id = fc.constantFrom("smi:nz.org.geonet/iasp91", "quakeml:a.bc/x?y=1&z=(2)");

/** What has a place in QuakeML, and what has none: text, numbers and structures of anybody. */
const anything: fc.Arbitrary<JsonValue> = fc.oneof(
  storableText,
  fc.constantFrom<JsonValue>(null, 0, "", {}, [], { a: 1 }, "iasp91", " GNS ", "x".repeat(65)),
  fc.constantFrom<JsonValue>("true", "smi:local.catalogue/method/1", "smi:ab/c", "smi:a.bc/ō"),
);

function mostly(arbitrary: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  return fc.oneof({ weight: 4, arbitrary }, { weight: 1, arbitrary: anything });
}

function some(members: Readonly<Record<string, fc.Arbitrary<JsonValue>>>) {
  return fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
}

const ellipsoid = some({
  semiMajorAxisLength: number,
  semiMinorAxisLength: mostly(number),
  majorAxisRotation: number,
});

export const anyUncertainty = some({
  horizontalUncertainty: mostly(fc.constantFrom(1234.5, 0, 1e-7, 5)),
  minHorizontalUncertainty: number,
  maxHorizontalUncertainty: mostly(fc.constantFrom(1234.5, 4573.66)),
  azimuthMaxHorizontalUncertainty: number,
  confidenceEllipsoid: mostly(ellipsoid),
  preferredDescription: mostly(
    fc.constantFrom("horizontal uncertainty", "uncertainty ellipse", "confidence ellipsoid"),
  ),
  confidenceLevel: number,
  other: anything,
});

/** What `extra` keeps of QuakeML, right and wrong, beside other members. */
const kept = some({
  time_fixed: mostly(fc.boolean()),
  epicenter_fixed: mostly(fc.boolean()),
  earth_model_id: mostly(id),
  method_id: mostly(id),
  magnitude_method_id: mostly(id),
  magnitude_agency_id: mostly(fc.constantFrom("GNS", "WEL(GNS) & <others>")),
  origin_uncertainty: mostly(anyUncertainty),
  public_id: storableText,
});

/** The record with such an `extra`, and the horizontal uncertainty that goes with it or another. */
export function withKept(records: fc.Arbitrary<SeismicEventRecord>) {
  const attribute = fc.constantFrom(null, 1.2345, 4.57366, 0.005, 0, 1e-10);
  return fc.tuple(records, kept, attribute).map(([record, extra, horizontal_uncertainty]) => ({
    ...record,
    horizontal_uncertainty,
    // JSON has no negative zero, and no `extra` is empty.
    extra:
      Object.keys(extra).length === 0 ? null : (JSON.parse(JSON.stringify(extra)) as JsonObject),
  }));
}

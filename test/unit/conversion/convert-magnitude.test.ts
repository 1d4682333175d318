import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { MagnitudeConversion } from "#contracts/merges/config.ts";
import { GivenConversions, KNOWN_CONVERSIONS } from "#contracts/merges/conversions.ts";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  agencyOfMagnitude,
  converted,
  fittingConversion,
  resolvedConversions,
} from "#services/domain/events/magnitude-conversion.ts";

const [SMALL, LARGE, MB] = KNOWN_CONVERSIONS as [
  MagnitudeConversion,
  MagnitudeConversion,
  MagnitudeConversion,
];

function nameFor(magnitude: number | null, magnitude_type: string | null) {
  const given = { magnitude, magnitude_type, agency: null };
  const found = fittingConversion(given, KNOWN_CONVERSIONS);
  return typeof found === "string" ? found : found.name;
}

describe("a conversion", () => {
  test("is the first that is for a magnitude's type and size", () => {
    expect(nameFor(5, "Ms")).toBe("isc-gem-ms-small");
    expect(nameFor(6.47, "Ms")).toBe("isc-gem-ms-small");
    expect(nameFor(6.48, "Ms")).toBe("isc-gem-ms-large");
    expect(nameFor(5, "mb")).toBe("isc-gem-mb");
  });

  test("ignores the case of a type but for mb and mB", () => {
    expect(nameFor(5, "MS")).toBe("isc-gem-ms-small");
    expect(nameFor(5, "Mb")).toBe("isc-gem-mb");
    expect(nameFor(5, "mB")).toBe("none");
    expect(nameFor(5, "mbLg")).toBe("none");
    expect(nameFor(5, "Ms_20")).toBe("none");
  });

  test("is none for an unknown magnitude or type, and none beyond its range", () => {
    expect(nameFor(null, "Ms")).toBe("none");
    expect(nameFor(5, null)).toBe("none");
    expect(nameFor(3.4, "Ms")).toBe("outOfRange");
    expect(nameFor(6.6, "mb")).toBe("outOfRange");
  });

  test("of an agency is for its magnitudes alone, case ignored", () => {
    const own = [{ ...MB, agency: "NEIC" }];
    const of = (agency: string | null) =>
      fittingConversion({ magnitude: 5, magnitude_type: "mb", agency }, own);
    expect(of("neic")).toBe(own[0]);
    expect(of("ISC")).toBe("none");
    expect(of(null)).toBe("none");
  });

  test("looks at the agency of the magnitude before that of the location", () => {
    const record = { ...emptyRecord({ time: "2020-01-01T00:00:00Z", latitude: 0, longitude: 0 }) };
    expect(agencyOfMagnitude({ ...record, agency_id: "ISC" })).toBe("ISC");
    const extra = { magnitude_agency_id: "NEIC" };
    expect(agencyOfMagnitude({ ...record, agency_id: "ISC", extra })).toBe("NEIC");
  });

  test("is known by its name", () => {
    expect(resolvedConversions(["isc-gem-mb", SMALL])).toEqual([MB, SMALL]);
    expect(() => resolvedConversions(["isc-gem"])).toThrow("no conversion is called isc-gem");
  });
});

function record(given: Partial<SeismicEventRecord>): SeismicEventRecord {
  return { ...emptyRecord({ time: "2020-01-01T00:00:00Z", latitude: 0, longitude: 0 }), ...given };
}

describe("a converted magnitude", () => {
  test("keeps the one that it was made of, and whatever else is known", () => {
    const before = record({
      magnitude: 5,
      magnitude_type: "mb",
      magnitude_uncertainty: 0.1,
      magnitude_station_count: 12,
      extra: { note: 1, magnitude_method_id: "smi:a.b/c" },
    });
    expect(converted(before, 5, MB)).toEqual({
      magnitude: 5.11,
      magnitude_type: "Mw",
      magnitude_uncertainty: expect.closeTo(Math.hypot(1.38 * 0.1, 0.3), 11),
      extra: {
        note: 1,
        converted_from: {
          magnitude: 5,
          magnitude_type: "mb",
          magnitude_uncertainty: 0.1,
          conversion: "isc-gem-mb",
          magnitude_method_id: "smi:a.b/c",
        },
      },
    });
  });

  test("that was converted before keeps the first inside, however often", () => {
    const back: MagnitudeConversion = {
      ...LARGE,
      name: "back",
      from: "Mw",
      to: "Ms",
      range: [0, 9],
    };
    let event = record({ magnitude: 5, magnitude_type: "mb" });
    for (const by of [MB, back, { ...back, name: "again", from: "Ms", to: "Mw" }]) {
      event = { ...event, ...converted(event, event.magnitude ?? 0, by) };
    }
    expect(event.extra?.["converted_from"]).toMatchObject({
      magnitude_type: "Ms",
      conversion: "again",
      converted_from: { magnitude: 5, magnitude_type: "mb", conversion: "isc-gem-mb" },
    });
    expect(JSON.stringify(event.extra)).not.toContain('"back"');
  });

  const ofAny = fc.record({
    magnitude: fc.double({ min: -3, max: 10, noNaN: true }),
    slope: fc.double({ min: 0.1, max: 3, noNaN: true }),
    intercept: fc.double({ min: -5, max: 5, noNaN: true }),
    sigma: fc.double({ min: 0, max: 1, noNaN: true }),
    own: fc.option(fc.double({ min: 0, max: 2, noNaN: true })),
    ends: fc.tuple(
      fc.double({ min: -3, max: 10, noNaN: true }),
      fc.double({ min: 0, max: 5, noNaN: true }),
    ),
  });

  test("is slope · m + intercept with √((slope · σ)² + sigma²), and there is none beyond the range", () => {
    fc.assert(
      fc.property(ofAny, ({ magnitude, slope, intercept, sigma, own, ends: [low, width] }) => {
        const by: MagnitudeConversion = {
          ...MB,
          slope,
          intercept,
          sigma,
          range: [low, low + width],
        };
        const found = fittingConversion({ magnitude, magnitude_type: "mb", agency: null }, [by]);
        const isWithin = magnitude >= low && magnitude <= low + width;
        expect(found).toBe(isWithin ? by : "outOfRange");
        const after = converted(
          record({ magnitude, magnitude_type: "mb", magnitude_uncertainty: own }),
          magnitude,
          by,
        );
        expect(after.magnitude).toBeCloseTo(slope * magnitude + intercept, 9);
        const sigmas = Math.sqrt((slope * (own ?? 0)) ** 2 + sigma ** 2);
        expect(after.magnitude_uncertainty).toBeCloseTo(sigmas, 9);
      }),
    );
  });
});

describe("conversions of a request", () => {
  const message = (given: unknown) => GivenConversions.safeParse([given]).error?.issues[0]?.message;

  test("are known ones by name, or others whole", () => {
    const own = { ...MB, name: "Our mb" };
    expect(GivenConversions.parse(["isc-gem-mb", own, MB])).toEqual(["isc-gem-mb", own, MB]);
  });

  test("are refused by a name that is not known, or that is another's", () => {
    expect(GivenConversions.safeParse(["isc-gem"]).success).toBe(false);
    expect(GivenConversions.safeParse([{ ...MB, slope: 1 }]).success).toBe(false);
  });

  test("are refused where they give magnitudes that no event has", () => {
    expect(GivenConversions.safeParse([{ ...MB, name: "Steep", slope: 2.5 }]).success).toBe(false);
    expect(message({ ...MB, name: "Steep", range: [6.5, 4] })).toBeDefined();
  });
});

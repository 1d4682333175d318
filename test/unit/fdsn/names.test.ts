import fc from "fast-check";
import { expect, test } from "vitest";
import type { Parameter } from "#contracts/fdsn/parameter.ts";
import { PARAMETER_NAMES, PARAMETERS, type ParameterName } from "#contracts/fdsn/parameters.ts";
import { longNameOf } from "#contracts/fdsn/raw-parameters.ts";
import { queryOf } from "./parsed.ts";

/** A valid value for each parameter, all of them together. */
const VALUES: Readonly<Record<ParameterName, string>> = {
  starttime: "2020-01-01T01:02:03.5",
  endtime: "2021-01-01",
  minlatitude: "-48.25",
  maxlatitude: "-30",
  minlongitude: "160",
  maxlongitude: "-170",
  latitude: "-41.3",
  longitude: "174.8",
  minradius: "0.25",
  maxradius: "8",
  minradiuskm: "",
  maxradiuskm: "",
  polygon: "POLYGON((170 -42, 190 -42, 180 -30, 170 -42))",
  region: "7d1f0c9e-52a4-4c1b-8e0a-3b6f5d9a1c20",
  evaluationstatus: "reviewed",
  evaluationmode: "Manual",
  maxazimuthalgap: "180",
  minusedstationcount: "4",
  minusedphasecount: "5",
  maxstandarderror: "0.5",
  maxmagnitudeuncertainty: "0.2",
  mindepth: "1e-5",
  maxdepth: "600",
  minmagnitude: "2.5",
  maxmagnitude: "9",
  magnitudetype: "mb,ML",
  eventtype: "earthquake,landslide",
  includeallorigins: "TRUE",
  includeallmagnitudes: "true",
  includearrivals: "false",
  includepicks: "True",
  includeamplitudes: "true",
  includestationmagnitudes: "false",
  includecomments: "TRUE",
  includeall: "false",
  magnitudescope: "",
  eventid: "2020p1,smi:a/b,c",
  limit: "100",
  offset: "11",
  orderby: "magnitude",
  catalog: "A & B = C",
  contributor: "Wellington",
  updatedafter: "2020-01-01T00:00:00+13:00",
  format: "geojson",
  nodata: "404",
  asof: "3",
  jsonerror: "true",
  includedeleted: "false",
  includesuperseded: "",
};

const anySpelling = (name: ParameterName) => {
  const { aliases = [] }: Parameter = PARAMETERS[name];
  return fc
    .tuple(fc.constantFrom(name, ...aliases), fc.array(fc.boolean(), { maxLength: 24 }))
    .map(([given, upper]) =>
      [...given].map((letter, i) => (upper[i] === true ? letter.toUpperCase() : letter)).join(""),
    );
};

const anyQuery = fc
  .tuple(
    fc.shuffledSubarray(PARAMETER_NAMES, { minLength: PARAMETER_NAMES.length }),
    fc.tuple(...PARAMETER_NAMES.map(anySpelling)),
    fc.array(fc.nat({ max: 2 }), { minLength: PARAMETER_NAMES.length }),
  )
  .map(([order, spellings, ampersands]) =>
    order
      .map((name, i) => {
        const spelling = spellings[PARAMETER_NAMES.indexOf(name)];
        return `${"&".repeat(ampersands[i] ?? 0)}${spelling}=${encodeURIComponent(VALUES[name])}`;
      })
      .join("&"),
  );

test("names in any case and order, long or short, with empty pairs between them, mean the same", () => {
  const plain = PARAMETER_NAMES.map((name) => `${name}=${encodeURIComponent(VALUES[name])}`);
  const expected = queryOf(plain.join("&"));
  expect(expected.filters.minMagnitude).toBe(2.5);
  fc.assert(
    fc.property(anyQuery, (raw) => {
      expect(queryOf(raw)).toEqual(expected);
    }),
  );
});

test("the eleven parameters that the standard requires are those of ObsPy's list", () => {
  const required = PARAMETER_NAMES.filter((name) => {
    const parameter: Parameter = PARAMETERS[name];
    return parameter.required === true;
  });
  expect(required).toEqual([
    "starttime",
    "endtime",
    "minlatitude",
    "maxlatitude",
    "minlongitude",
    "maxlongitude",
    "mindepth",
    "maxdepth",
    "minmagnitude",
    "maxmagnitude",
    "orderby",
  ]);
});

test("no two parameters share a name", () => {
  const names = PARAMETER_NAMES.flatMap((name) => {
    const { aliases = [] }: Parameter = PARAMETERS[name];
    return [name, ...aliases];
  });
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toBe(name.toLowerCase());
});

test("names that objects have are no parameters", () => {
  for (const name of ["toString", "__proto__", "constructor", "", "minmag "]) {
    expect(longNameOf(name)).toBeNull();
  }
});

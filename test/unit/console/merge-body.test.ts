import { expect, test } from "vitest";
import { MergeBody } from "#contracts/http/merges/merge.ts";
import { MergeConfig } from "#contracts/merge/merge-config.ts";
import { verdictOf, withVerdict } from "#services/console/features/merge/config/decided.ts";
import { NEW_WINDOW } from "#services/console/features/merge/config/further-form.ts";
import {
  configOf,
  formOfConfig,
  mergeBodyOf,
  NEW_FORM,
  type Pair,
  type Source,
  toggleSource,
} from "#services/console/features/merge/config/merge-body.ts";
import { STRATEGIES } from "#services/console/features/merge/config/strategies.ts";

const source = (digit: string): Source => ({
  id: `0f8fad5b-d9cb-469f-a165-7086772895${digit.repeat(2)}`,
  name: `Catalogue ${digit}`,
  label: ` label ${digit} `,
  events: 1,
});
const sources = [source("1"), source("2")];

test("sources stand in the order in which they were chosen", () => {
  const chosen = [source("1"), source("2"), source("3")].reduce(toggleSource, []);
  expect(toggleSource(chosen, source("2"))).toEqual([source("1"), source("3")]);
});

test("the access of the new catalogue is left to its sources until it is chosen", () => {
  const form = { ...NEW_FORM, sources };
  expect(mergeBodyOf(form, "Both")).not.toHaveProperty("access");
  expect(MergeBody.parse(mergeBodyOf(form, "Both", "restricted")).access).toBe("restricted");
});

test.each(STRATEGIES)("the form makes a request that is valid: $value", ({ value }) => {
  const form = { ...NEW_FORM, sources, mergeStrategy: value, priority: "label 1" };
  const { config, sourceCatalogues } = MergeBody.parse(mergeBodyOf(form, " Both "));
  expect(config).toEqual({
    timeThreshold: 10,
    distanceThreshold: 50,
    mergeStrategy: value,
    linkage: "complete",
    priority: value === "priority" ? "label 1" : "",
  });
  expect(sourceCatalogues.map((one) => one.source)).toEqual(["label 1", "label 2"]);
});

const [first, second] = ["1", "2"].map((digit) => ({
  catalogue_id: source(digit).id,
  event_id: source(digit).id,
  source_id: null,
  source: digit,
  time: "2016-11-13T11:02:56Z",
  latitude: -42,
  longitude: 173,
  depth: null,
  magnitude: 5,
})) as [Pair["first"], Pair["second"]];
const pair: Pair = { first, second, time_difference: 1, distance: 2, magnitude_difference: 0 };

test("a pair has one decision, whichever of its events comes first, and can lose it again", () => {
  const turned = { ...pair, first: second, second: first };
  const once = withVerdict([], pair, "same");
  const other = withVerdict(once, turned, "different");
  expect(verdictOf(other, pair)).toBe("different");
  expect(other).toHaveLength(1);
  expect(withVerdict(other, pair, null)).toEqual([]);
  const body = MergeBody.parse(mergeBodyOf({ ...NEW_FORM, sources, decided: other }, "Both"));
  expect(body.config.decisions).toEqual([
    {
      type: "different",
      events: [second, first].map(({ catalogue_id, event_id }) => ({ catalogue_id, event_id })),
    },
  ]);
});

const OWN = {
  name: "ours",
  from: "ML",
  to: "Mw",
  slope: 0.9,
  intercept: -0.1,
  sigma: 0.2,
  range: [3, 6.5] as [number, number],
  reference: "fitted to 214 events",
};

test("a config comes out of its form as it went in", () => {
  const config = MergeConfig.parse({
    timeThreshold: 16,
    distanceThreshold: 100,
    mergeStrategy: "priority",
    priority: "label 1",
    linkage: "nearest",
    follow: true,
    prefer: { location: ["ISC", "NEIC"], magnitude: "quality" },
    minMagnitudeStations: 2,
    windows: [
      {
        sources: ["label 1"],
        to: "1964-01-01T00:00:00Z",
        timeThreshold: null,
        distanceThreshold: null,
      },
      { from: "1990-06-01T12:30:00Z", minMagnitude: 4.5, timeThreshold: 5, distanceThreshold: 20 },
    ],
    conversions: [OWN, { ...OWN, name: "theirs", agency: "WEL" }],
  });
  expect(MergeConfig.parse(configOf(formOfConfig(config)))).toEqual(config);
  const least = {
    timeThreshold: 1,
    distanceThreshold: 2,
    mergeStrategy: "newest",
    linkage: "complete",
  };
  expect(configOf(formOfConfig(MergeConfig.parse(least)))).toEqual(least);
});

test.each([
  ["1964", "1964-01-01T00:00:00Z"],
  ["1964-05", "1964-05-01T00:00:00Z"],
  ["1964-05-02 10:20", "1964-05-02T10:20:00Z"],
  [" 1964-05-02  10:20:30.5 ", "1964-05-02T10:20:30.5Z"],
])("a rule begins at a time as people write it: %s", (typed, iso) => {
  const windows = [{ ...NEW_WINDOW, isExempt: true, from: typed }];
  const { windows: [window] = [] } = configOf({
    ...NEW_FORM,
    further: { ...NEW_FORM.further, windows },
  });
  expect(window?.from).toBe(iso);
});

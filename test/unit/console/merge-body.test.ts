import { expect, test } from "vitest";
import { MergeBody } from "#contracts/http/merge.ts";
import {
  mergeBodyOf,
  NEW_FORM,
  type Source,
  STRATEGIES,
  toggleSource,
} from "#services/console/features/merge/merge-body.ts";

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

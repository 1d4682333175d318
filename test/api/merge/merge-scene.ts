// biome-ignore lint/performance/noBarrelFile: of tests in other folders, until they import the file itself
export { CONFIG, merge, mergeForm, sourceOf } from "../support/merges.ts";

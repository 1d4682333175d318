// biome-ignore lint/performance/noBarrelFile: of tests in other folders, until they import the file itself
export { historyOf, importEvents, useImports } from "../support/imports.ts";

import { spawnSync } from "node:child_process";
import { SCHEMA } from "./real-data.ts";

/** What xmllint has to say of a document of QuakeML, "" when it is valid. */
export function schemaFaults(document: string): string {
  const run = spawnSync("xmllint", ["--noout", "--nonet", "--schema", SCHEMA, "-"], {
    encoding: "utf8",
    input: document,
    maxBuffer: 2 ** 28,
  });
  return run.status === 0 ? "" : run.stderr.slice(0, 2000);
}

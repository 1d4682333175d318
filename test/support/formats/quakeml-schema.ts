import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { REAL_DATA_DIR } from "../real-data.ts";

/** Where agencies' files and the official schema lie; they are not part of the project. */
export const QUAKEML_FILES = join(REAL_DATA_DIR, "quakeml");
export const hasQuakemlFiles = existsSync(QUAKEML_FILES);
const SCHEMA = join(REAL_DATA_DIR, "xsd/QuakeML-1.2.xsd");
export const hasQuakemlSchema =
  existsSync(SCHEMA) && spawnSync("xmllint", ["--version"]).error === undefined;

/** What xmllint has to say of a document of QuakeML, "" when it is valid. */
export function quakemlFaults(document: string): string {
  const run = spawnSync("xmllint", ["--noout", "--nonet", "--schema", SCHEMA, "-"], {
    encoding: "utf8",
    input: document,
    maxBuffer: 2 ** 28,
  });
  return run.status === 0 ? "" : run.stderr.slice(0, 2000);
}

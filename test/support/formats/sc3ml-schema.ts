import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";

const PROJECT = join(import.meta.dirname, "../../..");
/** ObsPy brings SeisComP's schemas; CONTRIBUTING.md says how it comes into the project. */
const [SCHEMA] = globSync(
  ".cache/clients-venv/lib/*/site-packages/obspy/io/seiscomp/data/sc3ml_0.13.xsd",
  { cwd: PROJECT },
);

export const hasSchema =
  SCHEMA !== undefined && spawnSync("xmllint", ["--version"]).error === undefined;

/** What xmllint has to say of a document of SC3ML 0.13, "" when it is valid. */
export function schemaFaults(document: string): string {
  const run = spawnSync(
    "xmllint",
    ["--noout", "--nonet", "--schema", join(PROJECT, SCHEMA ?? ""), "-"],
    { encoding: "utf8", input: document, maxBuffer: 2 ** 28 },
  );
  return run.status === 0 ? "" : run.stderr.slice(0, 2000);
}

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const PROJECT = join(import.meta.dirname, "../../../..");

/** Where files of agencies and the official schemas lie; they are not part of the project. */
export const REAL_DATA_DIR = process.env["REAL_DATA_DIR"] ?? join(PROJECT, "../shared/data");
export const SCHEMA = join(REAL_DATA_DIR, "xsd/QuakeML-1.2.xsd");

export const hasRealData = existsSync(join(REAL_DATA_DIR, "quakeml"));
export const hasSchema =
  existsSync(SCHEMA) && spawnSync("xmllint", ["--version"]).error === undefined;

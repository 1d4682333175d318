import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Real catalogue files, which are not part of the project: tests that use them say when they are absent. */
export const REAL_DATA_DIR =
  process.env["REAL_DATA_DIR"] ?? fileURLToPath(new URL("../../../shared/data", import.meta.url));

export const hasRealData = existsSync(REAL_DATA_DIR);

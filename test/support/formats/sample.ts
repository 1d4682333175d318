import { readFileSync } from "node:fs";

/** The text of a file of `test/fixtures/formats`. */
export function sample(path: string): string {
  return readFileSync(new URL(`../../fixtures/formats/${path}`, import.meta.url), "utf8");
}

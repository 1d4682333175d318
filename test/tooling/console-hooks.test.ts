import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const FOLDER = new URL("../../services/console/", import.meta.url).pathname;

/** Preact keeps hooks by the order of their calls, which linters check for those alone that are called by their names. */
test("no hook of the console is hidden in an object", () => {
  const hidden = globSync("**/*.{ts,tsx}", { cwd: FOLDER }).filter((path) =>
    /\w\.use[A-Z]\w*\(|(?:readonly|[{,])\s+use[A-Z]\w*\??: /.test(
      readFileSync(`${FOLDER}${path}`, "utf8"),
    ),
  );
  expect(hidden).toEqual([]);
});

/**
 * `npm run check`: what no linter knows of sources, documents and rules. Prints a line for each problem and exits
 * with 1 if there is any; with names (`documents patterns`) it looks for these problems alone.
 */
import { join } from "node:path";
import {
  circlesOf,
  doorsOf,
  fileImports,
  foldersOf,
  lowest,
  maxDoorsOf,
  TESTS,
  wrongWays,
} from "./folders.ts";
import { boundaryProblems } from "./structure/boundaries.ts";
import { bundleProblems } from "./structure/console-bundle.ts";
import { hookProblems, styleProblems } from "./structure/console-styles.ts";
import { documentProblems } from "./structure/documents.ts";
import { forgottenEventProblems } from "./structure/forgotten-events.ts";
import { lockFileProblems, migrationProblems } from "./structure/released-files.ts";
import { patternProblems } from "./structure/slow-patterns.ts";

const ROOT = join(import.meta.dirname, "../..");

async function importProblems(): Promise<string[]> {
  const ofFiles = await fileImports(ROOT);
  const imports = foldersOf(ofFiles);
  const ofTests = foldersOf(await fileImports(ROOT, TESTS));
  return [
    ...circlesOf(ofFiles).map((circle) => `circle of files: ${circle.join(" → ")}`),
    ...circlesOf(lowest(imports)).map((circle) => `circle of folders: ${circle.join(" → ")}`),
    ...[...doorsOf(ofFiles)]
      .filter(([folder, doors]) => doors.size > maxDoorsOf(folder))
      .map(([folder, doors]) => `${folder} has ${doors.size} doors: ${[...doors].join(", ")}`),
    ...wrongWays(new Map([...imports, ...ofTests])).map(
      ([from, to]) => `${from} may not import ${to}`,
    ),
  ];
}

const CHECKS: Readonly<Record<string, (root: string) => Promise<string[]>>> = {
  imports: importProblems,
  boundaries: boundaryProblems,
  documents: documentProblems,
  styles: styleProblems,
  hooks: hookProblems,
  bundle: bundleProblems,
  lock: lockFileProblems,
  migrations: migrationProblems,
  events: forgottenEventProblems,
  patterns: patternProblems,
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in CHECKS));
if (unknown.length > 0) throw new Error(`no such check: ${unknown.join(", ")}`);
const chosen = Object.entries(CHECKS).filter(
  ([name]) => named.length === 0 || named.includes(name),
);
const found = await Promise.all(
  chosen.map(async ([name, problemsOf]) => {
    const problems = await problemsOf(ROOT);
    return problems.map((problem) => `${name}: ${problem}`);
  }),
);
process.stderr.write(
  found
    .flat()
    .map((problem) => `${problem}\n`)
    .join(""),
);
process.exitCode = found.flat().length > 0 ? 1 : 0;

import { execFile } from "node:child_process";
import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { createTemporaryDirectory } from "../../support/temporary-directory.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../../..");
const BIOME = join(ROOT, "node_modules/.bin/biome");

const Report = z.object({
  diagnostics: z.array(
    z.object({ category: z.string(), location: z.object({ path: z.string() }) }),
  ),
});

/** Names of the rules that Biome, with the project's configuration, finds broken, by file. */
async function lint(directory: string): Promise<Map<string, Set<string>>> {
  const args = ["lint", "--reporter=json", "--max-diagnostics=none", "."];
  const { stdout } = await run(BIOME, args, { cwd: directory, maxBuffer: 2 ** 26 }).catch(
    (failure: { stdout: string }) => failure,
  );
  const found = new Map<string, Set<string>>();
  for (const { category, location } of Report.parse(JSON.parse(stdout)).diagnostics) {
    const rules = found.get(location.path) ?? new Set();
    found.set(location.path, rules.add(category.split("/").at(-1) ?? category));
  }
  return found;
}

/** What is found in a project with the real configuration and only these files. */
async function lintOf(files: Readonly<Record<string, string>>): Promise<Map<string, Set<string>>> {
  const { path: directory, remove } = await createTemporaryDirectory();
  for (const name of ["biome.json", "package.json", "tsconfig.json", ".gitignore"]) {
    await copyFile(join(ROOT, name), join(directory, name));
  }
  await symlink(join(ROOT, "node_modules"), join(directory, "node_modules"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  return lint(directory).finally(remove);
}

/** Files that may be imported, one in each folder. */
const CLEAN = {
  "contracts/events/log.ts": "export const a = 1;\n",
  "infra/pool.ts": 'import { a } from "#contracts/events/log.ts";\nexport const b = a;\n',
  "projections/rows.ts": 'import { b } from "#infra/pool.ts";\nexport const c = b;\n',
  "services/domain/decide.ts":
    'import { a } from "#contracts/events/log.ts";\nexport const d = a;\n',
  "services/commands/create.ts": 'import { d } from "../domain/decide.ts";\nexport const e = d;\n',
  "services/gateway/app.ts":
    'import { c } from "#projections/rows.ts";\nimport { e } from "../commands/create.ts";\nexport const f = c + e;\n',
  "services/notifier/run.ts": 'import { b } from "#infra/pool.ts";\nexport const g = b;\n',
  "test/support/help.ts": 'import { f } from "#services/gateway/app.ts";\nexport const h = f;\n',
} as const;

function importing(specifier: string): string {
  return `import * as other from "${specifier}";\nexport const used = Object.keys(other);\n`;
}

const VIOLATIONS: readonly [path: string, text: string, rule: string][] = [
  ["contracts/x.ts", importing("#infra/pool.ts"), "noRestrictedImports"],
  ["contracts/x.ts", importing("../infra/pool.ts"), "noRestrictedImports"],
  ["contracts/deep/x.ts", importing("../../services/domain/decide.ts"), "noRestrictedImports"],
  ["contracts/x.ts", importing("fastify"), "noRestrictedImports"],
  ["contracts/x.ts", importing("node:fs"), "noRestrictedImports"],
  ["infra/x.ts", importing("#projections/rows.ts"), "noRestrictedImports"],
  ["infra/x.ts", importing("#services/domain/decide.ts"), "noRestrictedImports"],
  ["infra/deep/x.ts", importing("../../projections/rows.ts"), "noRestrictedImports"],
  ["infra/x.ts", importing("../test/support/help.ts"), "noRestrictedImports"],
  ["infra/x.ts", importing("../contracts/names.ts"), "noRestrictedImports"],
  ["projections/x.ts", importing("#services/gateway/app.ts"), "noRestrictedImports"],
  ["projections/queries/x.ts", importing("../../services/gateway/app.ts"), "noRestrictedImports"],
  ["services/domain/x.ts", importing("#infra/pool.ts"), "noRestrictedImports"],
  ["services/domain/x.ts", importing("../commands/create.ts"), "noRestrictedImports"],
  ["services/domain/deep/x.ts", importing("../../gateway/app.ts"), "noRestrictedImports"],
  ["services/domain/x.ts", importing("node:fs"), "noRestrictedImports"],
  ["services/domain/x.ts", importing("zod"), "noRestrictedImports"],
  ["services/gateway/x.ts", importing("#services/notifier/run.ts"), "noRestrictedImports"],
  ["services/notifier/x.ts", importing("../gateway/app.ts"), "noRestrictedImports"],
  ["services/commands/x.ts", importing("../gateway/app.ts"), "noRestrictedImports"],
  ["services/gateway/x.ts", importing("../../test/support/help.ts"), "noRestrictedImports"],
  ["test/unit/x.ts", importing("../../infra/pool.ts"), "noRestrictedImports"],
  ["infra/x.ts", importing("./absent-package-test"), "useImportExtensions"],
  ["infra/x.ts", importing("left-pad"), "noUndeclaredDependencies"],
  ["infra/x.ts", 'export * from "./pool.ts";\n', "noReExportAll"],
  ["infra/x.ts", "export default 1;\n", "noDefaultExport"],
  ["infra/x.ts", "export const port = process.env;\n", "noProcessEnv"],
  ["services/gateway/x.ts", 'export const port = process.env["PORT"];\n', "noProcessEnv"],
  ["infra/x.ts", "export const x = (v: any) => v;\n", "noExplicitAny"],
  ["infra/x.ts", "export const x = (v: string | null) => v!;\n", "noNonNullAssertion"],
  ["infra/x.ts", 'import fs from "fs";\nexport const x = fs;\n', "useNodejsImportProtocol"],
  ["infra/wrongName.ts", "export const x = 1;\n", "useFilenamingConvention"],
  [
    "infra/x.ts",
    "async function f(): Promise<void> {}\nexport function g(): void {\n  f();\n}\n",
    "noFloatingPromises",
  ],
];

/** Files that break a rule lie beside each other: `x.ts` is `x-7.ts`. */
const placeOf = (path: string, index: number) => path.replace(/\bx\.ts$/, `x-${index}.ts`);

/** A circle between two files. */
const CIRCLE = {
  "infra/a.ts": 'import { b } from "./b.ts";\nexport const a = (): number => b;\n',
  "infra/b.ts": 'import { a } from "./a.ts";\nexport const b = Number(a);\n',
};

/**
 * The lint step allows contracts ← infra ← projections ← services, and test everything; it reports a circle between
 * files and each violation, and nothing in the files beside them.
 */
export async function boundaryProblems(): Promise<string[]> {
  const breaking = VIOLATIONS.map(([path, text], i) => [placeOf(path, i), text] as const);
  const [clean, circle, spoiled] = await Promise.all([
    lintOf(CLEAN),
    lintOf(CIRCLE),
    lintOf({
      ...CLEAN,
      "infra/absent-package-test.ts": "export const z = 1;\n",
      ...Object.fromEntries(breaking),
    }),
  ]);
  const expected = new Set(breaking.map(([path]) => path));
  return [
    ...[...clean.keys()].map((path) => `lint reports what is allowed in ${path}`),
    ...(circle.get("infra/a.ts")?.has("noImportCycles") ? [] : ["lint reports no circle of files"]),
    ...VIOLATIONS.filter(([path, , rule], i) => !spoiled.get(placeOf(path, i))?.has(rule)).map(
      ([path, text, rule]) => `lint does not report ${rule} in ${path}: ${JSON.stringify(text)}`,
    ),
    ...[...spoiled.keys()]
      .filter((path) => !expected.has(path))
      .map((path) => `lint reports something in ${path}, which breaks no rule`),
  ];
}

/**
 * How many small faults of the product the tests find: `npm run mutants -- --folder services/domain
 * --sample 300`. A seeded sample of all mutations of a folder is made one after the other, in a copy of
 * the checkout; of each only the test files are run that run the function it stands in, the quickest
 * first, until one fails. By hand: an hour or more for a thousand.
 */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createVitest, type TestSpecification, type Vitest } from "vitest/node";
import { randomOf } from "../support/generate-catalogue.ts";
import { type Mutation, mutationsOf } from "./mutations.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** Longer than any test file that is run here: a mutant that ends no loop has been found. */
const STUCK_MS = 120_000;

const { values } = parseArgs({
  options: {
    folder: { type: "string", default: "services/domain" },
    tests: { type: "string", multiple: true, default: ["test/unit/**/*.test.ts"] },
    sample: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
  },
});

const print = (line: string) => process.stdout.write(`${line}\n`);

type Mutant = Mutation & { readonly file: string };
type Covered = { readonly test: string; readonly functions: readonly [string, number, number][] };

function sampleOf(folder: string, size: number, seed: number): Mutant[] {
  const all = globSync(`${folder}/**/*.ts`, { cwd: ROOT })
    .toSorted()
    .flatMap((file) =>
      mutationsOf(file, readFileSync(join(ROOT, file), "utf8")).map((found) => ({
        ...found,
        file,
      })),
    );
  print(`${folder}: ${all.length} mutants, of which ${Math.min(size, all.length)} are made`);
  const next = randomOf(seed);
  return all
    .map((mutant) => ({ mutant, place: next() }))
    .toSorted((a, b) => a.place - b.place)
    .slice(0, size)
    .map(({ mutant }) => mutant);
}

async function copyOfCheckout(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "mutants-"));
  const paths = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" })
    .trim()
    .split("\n");
  for (const path of paths) await cp(join(ROOT, path), join(copy, path));
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

type Runner = {
  /** Whether all tests pass. */
  readonly passes: (tests: readonly string[]) => Promise<boolean>;
  readonly close: () => Promise<void>;
};

/** @param setupFiles where there are any, functions are recorded; without them each file is a process of its own */
async function openRunner(copy: string, setupFiles: string[]): Promise<Runner> {
  const records = setupFiles.length > 0;
  const starts = values.tests.some((pattern) => !pattern.startsWith("test/unit/"));
  const vitest: Vitest = await createVitest("test", {
    root: copy,
    config: false,
    include: values.tests,
    watch: false,
    pool: "forks",
    isolate: !records,
    maxWorkers: 1,
    bail: records ? 0 : 1,
    reporters: [{}],
    setupFiles,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    experimental: { viteModuleRunner: false },
    execArgv: ["--import", join(copy, "infra/process/compile-cache.js")],
    ...(starts && {
      globalSetup: [join(copy, "test/support/global-setup.ts")],
      environment: "./test/support/worker-environment.ts",
    }),
  });
  const specifications = new Map<string, TestSpecification>();
  for (const one of await vitest.globTestSpecifications()) specifications.set(one.moduleId, one);
  return {
    async passes(tests) {
      const wanted = tests.flatMap((test) => specifications.get(test) ?? []);
      const stuck = records ? undefined : setTimeout(endWorkers, STUCK_MS);
      try {
        const { testModules, unhandledErrors } = await vitest.runTestSpecifications(wanted);
        // Those of earlier runs are among them.
        const states = testModules.filter(({ moduleId }) => tests.includes(moduleId));
        return (
          unhandledErrors.length === 0 && states.every((module) => module.state() !== "failed")
        );
      } catch {
        return false;
      } finally {
        clearTimeout(stuck);
      }
    },
    close: () => vitest.close(),
  };
}

/** The processes of this one's tests, which hang. */
function endWorkers(): void {
  const workers = execFileSync("pgrep", ["-P", String(process.pid), "-f", "vitest"], {
    encoding: "utf8",
  });
  for (const pid of workers.split("\n").filter(Boolean)) process.kill(Number(pid), "SIGKILL");
}

const copy = await copyOfCheckout();
process.chdir(copy);
try {
  const mutants = sampleOf(values.folder, Number(values.sample), Number(values.seed));
  const path = join(copy, "coverage.jsonl");
  writeFileSync(path, "");
  process.env["MUTANTS_COVERAGE"] = path;
  const recorder = await openRunner(copy, [join(copy, "test/mutants/record-functions.ts")]);
  const all = globSync(values.tests, { cwd: copy }).map((test) => join(copy, test));
  const holds = await recorder.passes(all);
  await recorder.close();
  print(`${all.length} test files, ${holds ? "all pass" : "NOT all pass"}`);
  const covered = readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Covered);
  const runner = await openRunner(copy, []);
  let found = 0;
  let done = 0;
  for (const mutant of mutants) {
    const { file, start, end, text } = mutant;
    const source = readFileSync(join(ROOT, file), "utf8");
    const line = source.slice(0, start).split("\n").length;
    writeFileSync(join(copy, file), source.slice(0, start) + text + source.slice(end));
    const verdict = await verdictOf(runner, covered, mutant);
    writeFileSync(join(copy, file), source);
    if (verdict !== "survives") found += 1;
    done += 1;
    const was = JSON.stringify(source.slice(start, end).slice(0, 60));
    const told = `${verdict} ${file}:${line} ${was} → ${JSON.stringify(text)}`;
    print(`${found}/${done} ${told}`);
  }
  print(`${values.folder}: ${found} of ${done} found, ${((100 * found) / done).toFixed(1)} %`);
  await runner.close();
} finally {
  await rm(copy, { recursive: true, force: true });
}
process.exit();

async function verdictOf(
  runner: Runner,
  covered: readonly Covered[],
  { file, start, end }: Mutant,
): Promise<"killed" | "survives"> {
  /** The smallest function around it that runs decides; a module's own body runs only where it is loaded first. */
  const around = ([path, from, to]: Covered["functions"][number]) =>
    path === file && from <= start && end <= to && from > 0;
  const inFunction = covered.filter(({ functions }) => functions.some(around));
  const inModule = covered.filter(({ functions }) => functions.some(([path]) => path === file));
  const tests = inFunction.length > 0 ? inFunction : inModule;
  const ordered = tests.toSorted((a, b) => a.functions.length - b.functions.length);
  for (let from = 0; from < ordered.length; from += 8) {
    const some = ordered.slice(from, from + 8).map(({ test }) => test);
    if (!(await runner.passes(some))) return "killed";
  }
  return "survives";
}

import { existsSync, globSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { TestTimes } from "./test/tooling/test-times.ts";

/** They start no PostgreSQL. */
const PURE = ["test/{bench,fuzz,reference,tooling,torture,unit}/**/*.test.ts"];
/** Servers killed, frozen, cut off and replaced, faults at random, whole rebuilds, real files: `npm run test:long`. */
const LONG = [
  "test/e2e/**/*.test.ts",
  "test/{fuzz/fuzz,torture/torture}.test.ts",
  "test/api/answers/rude-clients.test.ts",
  "test/api/formats/real-files.test.ts",
  "test/api/hostile/*frozen-*.test.ts",
  "test/api/joins/beyond-limits.test.ts",
  "test/api/service/database-loss.test.ts",
  "test/api/versions/older-installation.test.ts",
  "test/integration/analytics/faults.test.ts",
  "test/integration/embedded-recovery.test.ts",
  "test/integration/eventstore/{log-choice,log-mismatch,server-crash}.test.ts",
  "test/integration/notifications/random-outages.test.ts",
  "test/integration/rebuild/killed-rebuild.test.ts",
  "test/integration/**/random-faults.test.ts",
];

/** Of these one of each kind, which `.ci/run` runs: every role killed, a crash, a take-over, a rebuild, a frozen database, a small disk. */
const SMOKES = [
  "test/torture/torture.test.ts",
  "test/e2e/idempotency-crash.test.ts",
  "test/e2e/roles/takeover.test.ts",
  "test/integration/rebuild/killed-rebuild.test.ts",
  "test/api/hostile/partly-frozen-database.test.ts",
  "test/e2e/full-disk.test.ts",
];

for (const pattern of [...LONG, ...SMOKES]) {
  if (globSync(pattern).length === 0) throw new Error(`no test is at ${pattern}`);
}

/** The clients of the field, which `.ci/run` installs: `npm run test:clients`. */
const CLIENTS = ["test/clients/**/*.test.ts"];

/** A real browser: `npm run test:browser`. */
const BROWSER = ["test/browser/**/*.test.ts"];

/** All runs of the properties of which `npm test` makes a part: see test/support/runs.ts. */
const ALL_RUNS = { env: { TEST_RUNS: "all" } };

const HAS_PROPERTIES = /\/(?:support\/runs|event-log-contract)\.ts"/;

function filesWithProperties(): string[] {
  return globSync("test/**/*.test.ts").filter((path) =>
    HAS_PROPERTIES.test(readFileSync(path, "utf8")),
  );
}

/** A plain `npm test` leaves the long tests, the clients and the browser out; a path that is named is run, whatever it holds. */
const args = process.argv.slice(2);
const namesPaths = args.some((path) => existsSync(path));
const withLong = args.includes("--project=long") || namesPaths;
/** For `.ci/run`, which adds several up. */
const withReport = args.some((arg) => arg.startsWith("--outputFile.json="));
const withSmokes = args.includes("--project=smoke");
const withProperties = args.includes("--project=properties");
const withBrowser = args.includes("--project=browser") || namesPaths;
const withClients = args.includes("--project=clients") || namesPaths;

const withPostgres = {
  globalSetup: ["test/support/global-setup.ts"],
  environment: "./test/support/worker-environment.ts",
};

// Files of a project that is not isolated share their worker's modules. Each project is a group of
// its own, one after the other: a worker ends where files of another project come next.
export default defineConfig({
  test: {
    environment: "node",
    reporters: ["default", new TestTimes(), ...(withReport ? ["json"] : [])],
    pool: "forks",
    // As the service is started: each of its threads compiles its modules anew without it.
    execArgv: ["--import", new URL("infra/process/compile-cache.js", import.meta.url).href],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    expect: { poll: { timeout: 20_000 } },
    // As Node loads the product: Vite's own runner makes each use of an import a call.
    experimental: { viteModuleRunner: false },
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          include: PURE,
          exclude: LONG,
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "service",
          include: ["test/{api,contract,integration}/**/*.test.ts"],
          exclude: LONG,
          isolate: false,
          sequence: { groupOrder: 1 },
          ...withPostgres,
        },
      },
      ...(withLong
        ? [
            {
              extends: true as const,
              test: {
                name: "long",
                maxWorkers: 3,
                include: LONG,
                sequence: { groupOrder: 2 },
                // Without `--project=properties`, as in `.ci/run`, properties make a part of their runs.
                ...(withProperties ? ALL_RUNS : {}),
                ...withPostgres,
              },
            },
          ]
        : []),
      ...(withSmokes
        ? [
            {
              extends: true as const,
              test: {
                name: "smoke",
                // Some hold how long an answer takes at most, which others beside them would lengthen.
                maxWorkers: 1,
                include: SMOKES,
                sequence: { groupOrder: 2 },
                ...withPostgres,
              },
            },
          ]
        : []),
      ...(withProperties
        ? [
            {
              extends: true as const,
              test: {
                name: "properties",
                include: filesWithProperties(),
                exclude: LONG,
                isolate: false,
                sequence: { groupOrder: 3 },
                ...ALL_RUNS,
                ...withPostgres,
              },
            },
          ]
        : []),
      ...(withClients
        ? [
            {
              extends: true as const,
              test: {
                name: "clients",
                include: CLIENTS,
                sequence: { groupOrder: 4 },
                ...withPostgres,
                globalSetup: ["test/support/announce-clients.ts", ...withPostgres.globalSetup],
              },
            },
          ]
        : []),
      ...(withBrowser
        ? [
            {
              extends: true as const,
              test: {
                name: "browser",
                include: BROWSER,
                isolate: false,
                // Run for each file, whose modules it shares.
                setupFiles: ["test/browser/support/close-chromium.ts"],
                sequence: { groupOrder: 5 },
                ...withPostgres,
                globalSetup: ["test/support/announce-clients.ts", ...withPostgres.globalSetup],
              },
            },
          ]
        : []),
    ],
  },
});

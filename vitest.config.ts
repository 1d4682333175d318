import { defineConfig } from "vitest/config";

/** Tests of pure code: they start no PostgreSQL, and share the modules of their worker. */
const PURE = ["test/unit/**/*.test.ts"];

export default defineConfig({
  test: {
    environment: "node",
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    projects: [
      { extends: true, test: { name: "pure", include: PURE, isolate: false } },
      {
        extends: true,
        test: {
          name: "service",
          include: ["test/**/*.test.ts"],
          exclude: [...PURE, "test/bench/**", "test/fixtures/**"],
          globalSetup: ["test/support/global-setup.ts"],
        },
      },
    ],
  },
});

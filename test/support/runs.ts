const ALL = "all";

/** Of the runs of a property, as many as `npm test` makes: a fifth of them, and at least one. */
const PART = 1 / 5;

/**
 * How many runs a property makes: all where TEST_RUNS says so, as `npm run test:long` does for every
 * file that asks here, else a part of them.
 */
export function runs(all: number): number {
  return process.env["TEST_RUNS"] === ALL ? all : Math.ceil(all * PART);
}

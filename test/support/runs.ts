const ALL = "all";

/** Of the runs of a property, as many as `npm test` makes where nothing else is said: a fifth of them. */
const PART = 1 / 5;

/**
 * How many runs a property makes: all where TEST_RUNS says so, as `npm run test:long` does for every
 * file that asks here, else a part of them, and at least one.
 */
export function runs(all: number, part = PART): number {
  return process.env["TEST_RUNS"] === ALL ? all : Math.ceil(all * part);
}

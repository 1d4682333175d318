import type { CommonQueryMethods } from "slonik";
import type { SolutionChanges } from "#contracts/bulletin/solution-change.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { readPieces } from "#projections/read/bulletins.ts";
import type { BulletinWork } from "#services/commands/bulletins/bulletin-work.ts";

/** An event in a version; `sha256` is its bulletin's, null without one. */
type Side = { readonly version: number; readonly sha256: string | null };

/** Bulletins that are compared for one answer: reading one of a megabyte takes some ten milliseconds. */
const MOST_COMPARED = 100;

export type ComparerDeps = {
  readonly pool: Pick<CommonQueryMethods, "any">;
  readonly bulletins: Pick<BulletinWork, "compare">;
};

export type BulletinComparer = (
  eventId: string,
  before: Side,
  after: Side,
) => Promise<Partial<SolutionChanges>>;

/**
 * A function that says in what the bulletins of an event in two versions differ, for the first events
 * of an answer; nothing where they are equal or there are none.
 */
export function createBulletinComparer(
  { pool, bulletins }: ComparerDeps,
  catalogueId: string,
  asker: Asker,
): BulletinComparer {
  let compared = 0;
  return async (eventId, before, after) => {
    if (before.sha256 === after.sha256) return {};
    compared += 1;
    if (compared > MOST_COMPARED) return { solutionsTruncated: true };
    const read = async ({ version, sha256 }: Side) =>
      sha256 === null ? null : readPieces(pool, catalogueId, eventId, version);
    // Other requests have their turn while these are read.
    const sides = { before: await read(before), after: await read(after) };
    return bulletins.compare(sides, asker);
  };
}

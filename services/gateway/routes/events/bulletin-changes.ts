import { setImmediate } from "node:timers/promises";
import type { CommonQueryMethods } from "slonik";
import type { SolutionChanges } from "#contracts/bulletin/solution-change.ts";
import { readBulletin } from "#projections/queries/bulletins/read-bulletin.ts";
import { solutionChanges } from "#services/domain/bulletin/solution-changes.ts";

/** An event in a version; `sha256` is its bulletin's, null without one. */
type Side = { readonly version: number; readonly sha256: string | null };

/** Bulletins that are compared for one answer: reading one of a megabyte takes some ten milliseconds. */
const MOST_COMPARED = 100;

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
  pool: Pick<CommonQueryMethods, "any">,
  catalogueId: string,
): BulletinComparer {
  let compared = 0;
  return async (eventId, before, after) => {
    if (before.sha256 === after.sha256) return {};
    compared += 1;
    if (compared > MOST_COMPARED) return { solutionsTruncated: true };
    const read = ({ version, sha256 }: Side) =>
      sha256 === null ? null : readBulletin(pool, catalogueId, eventId, version);
    const [former, present] = [await read(before), await read(after)];
    // Other requests have their turn between two comparisons.
    await setImmediate();
    return solutionChanges(former, present);
  };
}

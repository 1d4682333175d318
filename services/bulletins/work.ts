import type { CommonQueryMethods } from "slonik";
import type { SolutionChanges } from "#contracts/bulletin/schema.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { readPieces } from "#projections/read/bulletins.ts";
import type { GatewayThreads } from "../threads.ts";
import {
  type CompareTask,
  changeStored,
  compareStored,
  type MakeChange,
  type StoredPieces,
} from "./worker.ts";

/** The threads for large bulletins; small ones are not worth one. */
type BulletinThreads = Pick<GatewayThreads, "bulletins">;

/** Stored bytes of a bulletin that is unpacked and packed within 20 ms; its JSON is some twenty times as long. */
const SMALL = 24 * 1024;

export function changeIn({ bulletins }: BulletinThreads, asker: Asker): MakeChange {
  return (task) =>
    Array.isArray(task.source) && sizeOf(task.source) > SMALL
      ? bulletins.run("changeOf", task, asker)
      : changeStored(task);
}

/** In what two bulletins of an event differ. @throws CorruptBulletin */
export async function compareIn(
  { bulletins }: BulletinThreads,
  task: CompareTask,
  asker: Asker,
): Promise<SolutionChanges> {
  return sizeOf(task.before) + sizeOf(task.after) > SMALL
    ? bulletins.run("changesBetween", task, asker)
    : compareStored(task);
}

function sizeOf(pieces: StoredPieces | null): number {
  return pieces?.reduce((sum, { bytes }) => sum + bytes.length, 0) ?? 0;
}

/** An event in a version; `sha256` is its bulletin's, null without one. */
type Side = { readonly version: number; readonly sha256: string | null };

/** Bulletins that are compared for one answer: reading one of a megabyte takes some ten milliseconds. */
const MOST_COMPARED = 100;

export type BulletinComparer = ReturnType<typeof createBulletinComparer>;

/**
 * A function that says in what the bulletins of an event in two versions differ, for the first events
 * of an answer; nothing where they are equal or there are none.
 */
export function createBulletinComparer(
  {
    pool,
    threads,
  }: { readonly pool: Pick<CommonQueryMethods, "any">; readonly threads: BulletinThreads },
  catalogueId: string,
  asker: Asker,
) {
  let compared = 0;
  return async (eventId: string, before: Side, after: Side): Promise<Partial<SolutionChanges>> => {
    if (before.sha256 === after.sha256) return {};
    compared += 1;
    if (compared > MOST_COMPARED) return { solutionsTruncated: true };
    const read = async ({ version, sha256 }: Side) =>
      sha256 === null ? null : readPieces(pool, catalogueId, eventId, version);
    // Other requests have their turn while these are read.
    const sides = { before: await read(before), after: await read(after) };
    return compareIn(threads, sides, asker);
  };
}

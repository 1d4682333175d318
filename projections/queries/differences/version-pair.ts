import { sql } from "slonik";
import { z } from "zod";
import type { Lookups } from "#infra/postgres/statements.ts";
import {
  isPublicVersion,
  type ResolvedVersion,
  resolveVersion,
  type VersionRequest,
} from "../events/resolve-version.ts";
import { MOST_CHANGES, type VersionPair } from "./version-diff.ts";

export type PairRequest = Omit<VersionRequest, "asOf"> & {
  /** The version that is compared. */
  readonly to: number;
  /** The version that it is compared with; absent for the one before it. */
  readonly from?: number | undefined;
};

/**
 * Two versions of a catalogue that the reader may read.
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED
 */
export async function resolvePair(
  lookups: Lookups,
  { to, from, ...reader }: PairRequest,
): Promise<{ readonly pair: VersionPair; readonly isPublic: boolean }> {
  const now = await resolveVersion(lookups, { ...reader, asOf: String(to) });
  const earlier = from ?? (await versionBefore(lookups, now));
  const was =
    earlier === 0 ? null : await resolveVersion(lookups, { ...reader, asOf: String(earlier) });
  const { id, key, hidden } = now;
  const changes = await changesBetween(lookups, key, [earlier, to]);
  const changesMost = changes > MOST_CHANGES * Math.max(now.eventCount, was?.eventCount ?? 0);
  return {
    pair: { id, key, hidden, from: earlier, to, changes, changesMost },
    isPublic: isPublicVersion(now) && (was === null || isPublicVersion(was)),
  };
}

/** 0 where it is the first. */
async function versionBefore(lookups: Lookups, { key, version }: ResolvedVersion): Promise<number> {
  const row = await lookups.maybeOne(sql.type(z.object({ version: z.int() }))`
    select coalesce(max(version), 0) as version from read_model.catalogue_versions
    where catalogue_key = ${key} and version < ${version}`);
  return row?.version ?? 0;
}

/** The number of changes that the versions after one and up to the other recorded. */
async function changesBetween(
  lookups: Lookups,
  key: number,
  [one, other]: readonly [number, number],
): Promise<number> {
  const row = await lookups.maybeOne(sql.type(z.object({ changes: z.int() }))`
    select least(coalesce(sum(added + updated + removed), 0), 2147483647)::integer as changes
    from read_model.catalogue_versions
    where catalogue_key = ${key}
      and version > ${Math.min(one, other)} and version <= ${Math.max(one, other)}`);
  return row?.changes ?? 0;
}

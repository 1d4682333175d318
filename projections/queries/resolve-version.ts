import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { ApiError } from "#contracts/errors.ts";
import { parseTime } from "#contracts/seismic-event/origin-time.ts";
import type { Lookups } from "#infra/postgres/prepared-statements.ts";
import { uuidOrNull } from "./sql-values.ts";

const ResolvedVersion = z.object({
  id: z.uuid(),
  key: z.int(),
  version: z.int(),
  eventCount: z.int(),
});

/** One version of a catalogue; `key` is the read model's. Version 0 is before the first, without events. */
export type ResolvedVersion = z.infer<typeof ResolvedVersion>;

/** A latest version as it was last resolved: a read of it has to tell whether it still is the latest. */
export type SeenVersion = ResolvedVersion & { readonly isSeen: true };

export type VersionName = Pick<ResolvedVersion, "id" | "version">;

/** More digits than any version number has. */
const VERSION_DIGITS = 9;

/**
 * The version that a read sees: the latest committed one, or that of `asOf`: a version number, or a
 * time, which means the version that was the latest then (contract §4, "Versions").
 * @throws ApiError NOT_FOUND for an unknown catalogue or version, VALIDATION_ERROR for a malformed asOf
 */
export async function resolveVersion(
  lookups: Lookups,
  catalogueId: string,
  asOf?: string,
): Promise<ResolvedVersion> {
  const id = uuidOrNull(catalogueId);
  if (asOf === undefined) return found(await latest(lookups, id), "Catalogue not found");
  if (/^\d+$/.test(asOf)) {
    const version = asOf.length > VERSION_DIGITS ? -1 : Number(asOf);
    return found(
      await committed(lookups, id, sql.fragment`v.version = ${version}`),
      "There is no such version",
    );
  }
  const time = parseTime(asOf);
  if (time === null) {
    throw new ApiError("VALIDATION_ERROR", "asOf: is neither a version number nor a time", {
      details: [{ field: "asOf", message: "is neither a version number nor a time" }],
    });
  }
  return found(
    await committed(lookups, id, sql.fragment`v.created_at <= ${time}::timestamptz`),
    "There was no version at that time",
  );
}

const Presence = z.object({ present: z.boolean() });

/** @throws ApiError NOT_FOUND when the catalogue of a version is gone */
export async function requirePresent(lookups: Lookups, version: ResolvedVersion): Promise<void> {
  const row = await lookups.maybeOne(sql.type(Presence)`
    select ${isPresent(version)} as present`);
  if (!row?.present) throw new ApiError("NOT_FOUND", "Catalogue not found");
}

/** Rows that a version sees. None once its catalogue is deleted: its key may be another's then. */
export function visibleAt(resolved: ResolvedVersion): FragmentSqlToken {
  return sql.fragment`${rowsOf(resolved)} and ${isPresent(resolved)}`;
}

/**
 * The same, and none either once there is a later version. All of it in one snapshot: a row shows that
 * the version is the latest.
 */
export function visibleWhileLatest(seen: SeenVersion): FragmentSqlToken {
  const { id, key, version, eventCount } = seen;
  return sql.fragment`${rowsOf(seen)} and exists (
    select from read_model.catalogues where key = ${key} and id = ${id}::uuid
      and version = ${version} and event_count = ${eventCount})`;
}

/**
 * Rows that a version sees, by the catalogue's id: for reads that know the version already. None when
 * the catalogue is gone or has not come so far: rows of a revision that is still written stay unseen.
 */
export function committedAt({ id, version }: VersionName): FragmentSqlToken {
  return sql.fragment`catalogue_key = (
      select key from read_model.catalogues where id = ${id}::uuid and version >= ${version})
    and revision_from <= ${version} and (revision_to is null or revision_to > ${version})`;
}

/** Rows of a version whose catalogue is known to be there: in the snapshot that it was resolved in. */
export function rowsOf({
  key,
  version,
}: Pick<ResolvedVersion, "key" | "version">): FragmentSqlToken {
  return sql.fragment`catalogue_key = ${key} and revision_from <= ${version}
    and (revision_to is null or revision_to > ${version})`;
}

function isPresent({ id, key }: ResolvedVersion): FragmentSqlToken {
  return sql.fragment`exists (
    select from read_model.catalogues where key = ${key} and id = ${id}::uuid)`;
}

function latest(lookups: Lookups, id: string | null): Promise<ResolvedVersion | null> {
  return lookups.maybeOne(sql.type(ResolvedVersion)`
    select id, key, version, event_count as "eventCount"
    from read_model.catalogues where id = ${id}::uuid`);
}

function committed(
  lookups: Lookups,
  id: string | null,
  condition: FragmentSqlToken,
): Promise<ResolvedVersion | null> {
  return lookups.maybeOne(sql.type(ResolvedVersion)`
    select c.id, c.key, v.version, v.event_count as "eventCount"
    from read_model.catalogues c
    join read_model.catalogue_versions v on v.catalogue_key = c.key
    where c.id = ${id}::uuid and ${condition}
    order by v.version desc limit 1`);
}

function found(version: ResolvedVersion | null, otherwise: string): ResolvedVersion {
  if (version === null) throw new ApiError("NOT_FOUND", otherwise);
  return version;
}

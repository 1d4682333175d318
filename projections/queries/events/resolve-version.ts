import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { invalid, Refusal } from "#contracts/errors.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import {
  hiddenSources,
  isThereFor,
  type Reader,
  seesMoreThanGuests,
} from "../rights/reader-rights.ts";
import { uuidOrNull } from "../sql-values.ts";

const ResolvedVersion = z.object({
  id: z.uuid(),
  key: z.int(),
  version: z.int(),
  eventCount: z.int(),
  /** The first version of the catalogue that guests may read; null while it is private. */
  publicFrom: z.int().nullable(),
  /** Ids of the sources of a merge that its reader may not be told of; null for none. */
  hidden: z.array(z.string()).nullable(),
  /** Whether its reader is told of sources that are hidden from guests. */
  seesMore: z.boolean(),
});

/**
 * One version of a catalogue; `key` is the read model's. Version 0 precedes the first one and has no
 * events.
 */
export type ResolvedVersion = z.infer<typeof ResolvedVersion>;

/** The members by which the rows of a version are found. */
export type VersionRows = Pick<ResolvedVersion, "id" | "key" | "version">;

/** The requested version, and who requests it. */
export type VersionRequest = {
  readonly catalogueId: string;
  readonly asOf?: string | undefined;
  /** Guests are allowed public versions only. */
  readonly reader: Reader;
  /** What the request calls its `asOf`, where that is another name. */
  readonly parameter?: string;
};

/** More digits than any version number has. */
const VERSION_DIGITS = 9;

const NO_SUCH_VERSION = "There is no such version";

/**
 * The version for a read: the latest committed one, or that of `asOf`, which is a version number or
 * a time and then means the version that was the latest at that time. For guests, versions before
 * the publication do not exist.
 * @throws Refusal NOT_FOUND for an unknown catalogue or version, UNAUTHENTICATED for a guest if the
 * catalogue is private, VALIDATION_ERROR for a malformed asOf
 */
export async function resolveVersion(
  lookups: Lookups,
  { catalogueId, asOf, reader, parameter = "asOf" }: VersionRequest,
): Promise<ResolvedVersion> {
  const isGuest = reader.kind === "guest";
  const id = uuidOrNull(catalogueId);
  if (asOf === undefined) {
    return allowed(await latest(lookups, id, reader), "Catalogue not found", isGuest);
  }
  if (/^\d+$/.test(asOf)) {
    const version = asOf.length > VERSION_DIGITS ? -1 : Number(asOf);
    const named = await committed(lookups, id, reader, sql.fragment`v.version = ${version}`);
    return allowed(named, NO_SUCH_VERSION, isGuest);
  }
  const time = parseTime(asOf, "down");
  if (time === null) {
    throw invalid(parameter, "is neither a version number nor a time");
  }
  const by = sql.fragment`v.created_at <= ${time}::timestamptz`;
  const then = await committed(lookups, id, reader, by);
  return allowed(then, "There was no version at that time", isGuest);
}

/** The first version that exists for a reader; guests read public catalogues only. */
export function firstReadable({ publicFrom }: ResolvedVersion, isGuest: boolean): number {
  return isGuest && publicFrom !== null ? publicFrom : 0;
}

/** Whether guests may read a version. Version 0 has nothing to hide. */
export function isPublicVersion({
  version,
  publicFrom,
}: Pick<ResolvedVersion, "version" | "publicFrom">): boolean {
  return publicFrom !== null && (version === 0 || version >= publicFrom);
}

/**
 * Checks that guests may read the version.
 * @throws Refusal UNAUTHENTICATED; NOT_FOUND with the sentence for an unknown version
 */
export function requireReadable(
  version: Pick<ResolvedVersion, "version" | "publicFrom">,
  isGuest: boolean,
  otherwise: string = NO_SUCH_VERSION,
): void {
  if (!isGuest || isPublicVersion(version)) return;
  if (version.publicFrom === null) throw new Refusal("UNAUTHENTICATED");
  throw new Refusal("NOT_FOUND", otherwise);
}

const Presence = z.object({ present: z.boolean() });

/** @throws Refusal NOT_FOUND when the catalogue of a version is gone */
export async function requirePresent(lookups: Lookups, version: VersionRows): Promise<void> {
  const row = await lookups.maybeOne(sql.type(Presence)`
    select ${isPresent(version)} as present`);
  if (!row?.present) throw new Refusal("NOT_FOUND", "Catalogue not found");
}

/** The rows visible in a version. None once its catalogue is deleted, when they are removed bit by bit. */
export function visibleAt(version: VersionRows): FragmentSqlToken {
  return sql.fragment`${rowsOf(version)} and ${isPresent(version)}`;
}

/** Rows of a version whose catalogue certainly exists: in the snapshot in which it was resolved. */
export function rowsOf({
  key,
  version,
}: Pick<ResolvedVersion, "key" | "version">): FragmentSqlToken {
  return sql.fragment`catalogue_key = ${key} and revision_from <= ${version}
    and (revision_to is null or revision_to > ${version})`;
}

/** Whether a catalogue exists still: its rows outlive it for a while. */
export function isPresent({ key }: Pick<VersionRows, "key">): FragmentSqlToken {
  return sql.fragment`exists (select from read_model.catalogues where key = ${key})`;
}

function latest(
  lookups: Lookups,
  id: string | null,
  reader: Reader,
): Promise<ResolvedVersion | null> {
  return lookups.maybeOne(sql.type(ResolvedVersion)`
    select c.id, c.key, c.version, c.event_count as "eventCount", c.public_from as "publicFrom",
      ${hiddenSources(reader, "c")} as hidden, ${seesMoreThanGuests(reader, "c")} as "seesMore"
    from read_model.catalogues c where c.id = ${id}::uuid and ${isThereFor(reader, "c")}`);
}

function committed(
  lookups: Lookups,
  id: string | null,
  reader: Reader,
  condition: FragmentSqlToken,
): Promise<ResolvedVersion | null> {
  return lookups.maybeOne(sql.type(ResolvedVersion)`
    select c.id, c.key, v.version, v.event_count as "eventCount", c.public_from as "publicFrom",
      ${hiddenSources(reader, "c")} as hidden, ${seesMoreThanGuests(reader, "c")} as "seesMore"
    from read_model.catalogues c
    join read_model.catalogue_versions v on v.catalogue_key = c.key
    where c.id = ${id}::uuid and ${isThereFor(reader, "c")} and ${condition}
    order by v.version desc limit 1`);
}

function allowed(
  version: ResolvedVersion | null,
  otherwise: string,
  isGuest: boolean,
): ResolvedVersion {
  if (version === null) throw new Refusal("NOT_FOUND", otherwise);
  requireReadable(version, isGuest, otherwise);
  return version;
}

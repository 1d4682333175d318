import { z } from "zod";
import { Derivation } from "../analytics/declustering.ts";
import { StoredMetadata } from "../catalogue-metadata.ts";
import { MergeConfig, MergedSource } from "../merges/config.ts";
import { MadeDecision } from "../merges/decisions.ts";
import { Editing, MemberKind, MemberRight } from "../rights.ts";
import type { SeismicEventRecord } from "../seismic-event/seismic-event.ts";
import { compareTimes } from "../seismic-event/time.ts";
import {
  ImportDetail,
  ImportFilters,
  ImportTally,
  ImportWindow,
  ScheduleSettings,
} from "./imports.ts";
import type { EventOf } from "./log.ts";

/** Why a revision exists. */
export const RevisionCause = z.enum(["created", "import", "merge", "edit", "restore"]);
export type RevisionCause = z.infer<typeof RevisionCause>;

/** Bounds of a catalogue's events; null without events. Times are ISO 8601 UTC. */
export const Bounds = z.object({
  min_latitude: z.number().nullable(),
  max_latitude: z.number().nullable(),
  min_longitude: z.number().nullable(),
  max_longitude: z.number().nullable(),
  min_magnitude: z.number().nullable(),
  max_magnitude: z.number().nullable(),
  start_time: z.string().nullable(),
  end_time: z.string().nullable(),
});
export type Bounds = z.infer<typeof Bounds>;

export const NO_BOUNDS: Bounds = {
  min_latitude: null,
  max_latitude: null,
  min_longitude: null,
  max_longitude: null,
  min_magnitude: null,
  max_magnitude: null,
  start_time: null,
  end_time: null,
};

const catalogueId = z.uuid();
const revision = z.int().positive();
const importId = z.uuid();
const scheduleId = z.uuid();

/** Why a whole import failed; `code` is a code of contracts/errors.ts, or null. */
export const ImportFailure = z.object({ code: z.string().nullable(), message: z.string() });
export type ImportFailure = z.infer<typeof ImportFailure>;

/** Events of the stream `catalogue-<id>`: past-tense facts, in their current versions. */
export const catalogueEvents = {
  /** A catalogue that is created public has all its versions public. Whoever creates it owns it. */
  CatalogueCreated: z.object({
    catalogueId,
    name: z.string(),
    isPublic: z.boolean(),
    createdBy: z.string(),
    /** Absent for false. */
    isRestricted: z.boolean().optional(),
    /** Absent for all. */
    editing: Editing.optional(),
    /** What its first version was made of, where that is a result of declustering. */
    derivedFrom: Derivation.optional(),
  }),
  CatalogueRenamed: z.object({ catalogueId, name: z.string() }),
  VisibilityChanged: z.object({
    catalogueId,
    isPublic: z.boolean(),
    /** The first version that guests may read; null for none. */
    publicFrom: revision.nullable(),
    /** Whether only members read it; absent for false. */
    isRestricted: z.boolean().optional(),
  }),
  EditingChanged: z.object({ catalogueId, editing: Editing }),
  /** Whether its versions are kept as files for engines. */
  PartsChanged: z.object({ catalogueId, parts: z.boolean() }),
  /** A new member, or the new right of one. */
  MemberSet: z.object({
    catalogueId,
    memberId: z.string(),
    kind: MemberKind,
    right: MemberRight,
  }),
  MemberRemoved: z.object({ catalogueId, memberId: z.string() }),
  /** The catalogue's first revision is a merge of these sources, each as of its version. */
  CatalogueMerged: z.object({
    catalogueId,
    config: MergeConfig,
    sources: z.array(MergedSource),
    /** Merged events that stand for more than one; absent in older events. */
    duplicateGroups: z.int().nonnegative().optional(),
    /** Number of the rules by which events were grouped; absent in older events. */
    rules: z.int().positive().optional(),
  }),
  /**
   * The merge was made again with these settings, of these versions of the sources. Recorded just before the commit of
   * the revision, in one append; where nothing changed alone, with the latest revision.
   */
  MergeRefreshed: z.object({
    catalogueId,
    revision,
    config: MergeConfig,
    sources: z.array(MergedSource),
    duplicateGroups: z.int().nonnegative(),
    rules: z.int().positive().optional(),
    /** How many of the events that change the merge's decisions it knew of. */
    decided: z.int().nonnegative(),
  }),
  /** Some of the decisions that a change of them made. */
  MergeDecisionsMade: z.object({ catalogueId, decisions: z.array(MadeDecision) }),
  /** Decisions that hold no longer. */
  MergeDecisionsWithdrawn: z.object({ catalogueId, ids: z.array(z.uuid()) }),
  RevisionOpened: z.object({
    catalogueId,
    revision,
    cause: RevisionCause,
    /** Presence key of the process that writes it; if that dies, the revision is abandoned. */
    worker: z.string(),
    /**
     * The version that it repeats: whole with the cause `restore`, with `edit` for its one event; absent
     * for other changes.
     */
    restores: revision.optional(),
    /** Why, in the words of whoever asked for the change; absent where nothing was said. */
    reason: z.string().optional(),
  }),
  RevisionCommitted: z.object({
    catalogueId,
    revision,
    cause: RevisionCause,
    chunks: z.int().nonnegative(),
    /** Frames of bulletins; absent where the revision has none. */
    frames: z.int().positive().optional(),
    added: z.int().nonnegative(),
    updated: z.int().nonnegative(),
    removed: z.int().nonnegative(),
    eventCount: z.int().nonnegative(),
    bounds: Bounds,
    /**
     * SHA-256 over the previous version's hash, the SHA-256 of every chunk and then that of every
     * frame, in order; hex.
     */
    contentHash: z.string(),
  }),
  RevisionAbandoned: z.object({ catalogueId, revision, reason: z.string() }),
  /** Recorded together with the opening of the import's revision. */
  ImportStarted: z.object({
    catalogueId,
    importId,
    revision,
    /** Its name at that time. */
    agency: z.string(),
    /** Absent in older events: the id is the slug of its name (contracts/events/imports.ts). */
    agencyId: z.string().optional(),
    /** The schedule whose run it is, and when that began (ISO 8601 UTC); absent for other imports. */
    scheduleId: scheduleId.optional(),
    begunAt: z.string().optional(),
    window: ImportWindow,
    filters: ImportFilters,
    detail: ImportDetail,
    updateExisting: z.boolean(),
  }),
  /** Recorded with the revision's commit, or its abandonment when the import changed nothing. */
  ImportCompleted: z.object({ catalogueId, importId, tally: ImportTally }),
  /** Recorded with the revision's abandonment; the tally is the progress until then. */
  ImportFailed: z.object({
    catalogueId,
    importId,
    tally: ImportTally,
    failure: ImportFailure,
  }),
  /** Whoever has the address whose secret has this SHA-256 (hex) may read the catalogue. */
  CatalogueShared: z.object({
    catalogueId,
    shareId: z.uuid(),
    label: z.string().nullable(),
    secretHash: z.string(),
    /** ISO 8601 UTC; null for never. */
    expiresAt: z.string().nullable(),
  }),
  ShareEnded: z.object({ catalogueId, shareId: z.uuid() }),
  /** The service imports by it on its own; `maker` is the user in whose name it does. */
  ScheduleMade: z.object({
    catalogueId,
    scheduleId,
    maker: z.string(),
    settings: ScheduleSettings,
  }),
  /** Its settings, whole. */
  ScheduleChanged: z.object({ catalogueId, scheduleId, settings: ScheduleSettings }),
  ScheduleEnded: z.object({ catalogueId, scheduleId }),
  /** What the catalogue is cited by, whole; null for nothing. */
  MetadataChanged: z.object({ catalogueId, metadata: StoredMetadata.nullable() }),
  CatalogueDeleted: z.object({ catalogueId }),
} as const;

/** A chunk of a revision: binary in the log, format in infra/log/chunks.ts. */
export const CHUNK_EVENT = "SeismicEventsRecorded";

/** A frame of a revision's bulletins: binary in the log, format in infra/log/chunks.ts. */
export const FRAME_EVENT = "BulletinsRecorded";

export type CatalogueEventData<T extends keyof typeof catalogueEvents> = z.infer<
  (typeof catalogueEvents)[T]
>;
export type CatalogueEvent = EventOf<typeof catalogueEvents>;

type Bounded = Pick<SeismicEventRecord, "time" | "latitude" | "longitude" | "magnitude">;

/** The smallest bounds that contain both; commutative, with NO_BOUNDS as the neutral element. */
export function mergeBounds(a: Bounds, b: Bounds): Bounds {
  return {
    min_latitude: lower(a.min_latitude, b.min_latitude),
    max_latitude: higher(a.max_latitude, b.max_latitude),
    min_longitude: lower(a.min_longitude, b.min_longitude),
    max_longitude: higher(a.max_longitude, b.max_longitude),
    min_magnitude: lower(a.min_magnitude, b.min_magnitude),
    max_magnitude: higher(a.max_magnitude, b.max_magnitude),
    start_time: earlier(a.start_time, b.start_time),
    end_time: later(a.end_time, b.end_time),
  };
}

/** Extends `bounds` in place to contain `event`. */
export function extendBounds(bounds: Bounds, event: Bounded): void {
  bounds.min_latitude = lower(bounds.min_latitude, event.latitude);
  bounds.max_latitude = higher(bounds.max_latitude, event.latitude);
  bounds.min_longitude = lower(bounds.min_longitude, event.longitude);
  bounds.max_longitude = higher(bounds.max_longitude, event.longitude);
  bounds.min_magnitude = lower(bounds.min_magnitude, event.magnitude);
  bounds.max_magnitude = higher(bounds.max_magnitude, event.magnitude);
  bounds.start_time = earlier(bounds.start_time, event.time);
  bounds.end_time = later(bounds.end_time, event.time);
}

function lower(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return b < a ? b : a;
}

function higher(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return b > a ? b : a;
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return orderTimes(b, a) < 0 ? b : a;
}

function later(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return orderTimes(b, a) > 0 ? b : a;
}

/** Orders by instant, equal instants by the number of digits: merging is deterministic. */
function orderTimes(a: string, b: string): number {
  return compareTimes(a, b) || a.length - b.length;
}

/** Decisions about a catalogue: pure functions from state and command to events or a refusal. */

import { unknownCase } from "#contracts/cases.ts";
import { type CatalogueMetadata, StoredMetadata } from "#contracts/catalogue-metadata.ts";
import { Refusal, RetryLater } from "#contracts/errors.ts";
import {
  type Bounds,
  type CatalogueEvent,
  type CatalogueEventData,
  type ImportFailure,
  NO_BOUNDS,
  type RevisionCause,
} from "#contracts/events/catalogues.ts";
import {
  type ImportTally,
  NOTHING_IMPORTED,
  type ScheduleSettings,
} from "#contracts/events/imports.ts";
import { CATALOGUE_NAME_MAX } from "#contracts/http/catalogues.ts";
import type { MergeConfig, MergedSource } from "#contracts/merges/config.ts";
import type { CatalogueAccess, Editing, MemberKind, MemberRight } from "#contracts/rights.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { compareTimes } from "#contracts/seismic-event/time.ts";
import { isShownLine, NOT_SHOWN } from "#contracts/text.ts";

type OpenRevision = {
  readonly revision: number;
  readonly cause: RevisionCause;
  readonly worker: string;
  /** The import that writes the revision; null for another change. */
  readonly importId: string | null;
};

export type Member = { readonly kind: MemberKind; readonly right: MemberRight };

/** The state for decisions about a catalogue, folded from its decision stream. */
export type CatalogueState =
  | { readonly status: "absent" }
  | { readonly status: "deleted" }
  | ExistingCatalogue;

export type ExistingCatalogue = {
  readonly status: "existing";
  readonly catalogueId: string;
  readonly name: string;
  /** The first version that guests may read; null while the catalogue is private. */
  readonly publicFrom: number | null;
  /** Whether it is there for members only; never while it is public. */
  readonly isRestricted: boolean;
  readonly editing: Editing;
  /** Whether its versions are kept as files for engines. */
  readonly parts: boolean;
  /** By id, also of users and groups that were deleted since. */
  readonly members: ReadonlyMap<string, Member>;
  /** Latest committed revision, 0 before the first. */
  readonly version: number;
  /** Highest revision ever opened: numbers of abandoned revisions are not reused. */
  readonly lastRevision: number;
  readonly open: OpenRevision | null;
  readonly eventCount: number;
  readonly bounds: Bounds;
  readonly contentHash: string;
  readonly metadata: CatalogueMetadata | null;
  /** The shares that have not been ended: their expiry by their id. */
  readonly shares: ReadonlyMap<string, string | null>;
  /** Ids of the sources of a merge; null of a catalogue that is none. */
  readonly sources: readonly string[] | null;
  /** How many events have changed its decisions. */
  readonly decided: number;
  /** The schedules that have not been ended: their settings by their id. */
  readonly schedules: ReadonlyMap<string, ScheduleSettings>;
};

/** The lowest version number. */
export const FIRST_VERSION = 1;

export const ABSENT: CatalogueState = { status: "absent" };

/**
 * The state after one more event. Events of a stream come in order, so each finds the state that it
 * needs.
 */
export function evolve(state: CatalogueState, event: CatalogueEvent): CatalogueState {
  if (event.type === "CatalogueCreated") return created(event.data);
  if (state.status !== "existing") {
    throw new Error(`${event.type} on a catalogue that is ${state.status}`);
  }
  switch (event.type) {
    case "CatalogueRenamed":
      return { ...state, name: event.data.name };
    case "VisibilityChanged": {
      const { publicFrom, isRestricted = false } = event.data;
      return { ...state, publicFrom, isRestricted };
    }
    case "EditingChanged":
      return { ...state, editing: event.data.editing };
    case "PartsChanged":
      return { ...state, parts: event.data.parts };
    case "MemberSet": {
      const { memberId, kind, right } = event.data;
      return { ...state, members: new Map([...state.members, [memberId, { kind, right }]]) };
    }
    case "MemberRemoved":
      return { ...state, members: without(state.members, event.data.memberId) };
    case "MetadataChanged":
      return { ...state, metadata: event.data.metadata };
    case "CatalogueMerged":
    case "MergeRefreshed":
      return { ...state, sources: event.data.sources.map(({ id }) => id) };
    case "MergeDecisionsMade":
    case "MergeDecisionsWithdrawn":
      return { ...state, decided: state.decided + 1 };
    case "RevisionOpened": {
      const { revision, cause, worker } = event.data;
      const open = { revision, cause, worker, importId: null };
      return { ...state, lastRevision: revision, open };
    }
    case "ImportStarted": {
      const { importId } = event.data;
      return { ...state, open: state.open && { ...state.open, importId } };
    }
    case "ImportCompleted":
    case "ImportFailed":
      return state;
    case "RevisionCommitted": {
      const { revision, eventCount, bounds, contentHash } = event.data;
      return { ...state, version: revision, open: null, eventCount, bounds, contentHash };
    }
    case "RevisionAbandoned":
      return { ...state, open: null };
    case "CatalogueShared": {
      const { shareId, expiresAt } = event.data;
      return { ...state, shares: new Map([...state.shares, [shareId, expiresAt]]) };
    }
    case "ShareEnded":
      return { ...state, shares: without(state.shares, event.data.shareId) };
    case "ScheduleMade":
    case "ScheduleChanged": {
      const { scheduleId, settings } = event.data;
      return { ...state, schedules: new Map([...state.schedules, [scheduleId, settings]]) };
    }
    case "ScheduleEnded":
      return { ...state, schedules: without(state.schedules, event.data.scheduleId) };
    case "CatalogueDeleted":
      return { status: "deleted" };
    default:
      return unknownCase(event);
  }
}

function without<T>(all: ReadonlyMap<string, T>, id: string): ReadonlyMap<string, T> {
  return new Map([...all].filter(([one]) => one !== id));
}

function created(data: CatalogueEventData<"CatalogueCreated">): ExistingCatalogue {
  return {
    status: "existing",
    catalogueId: data.catalogueId,
    name: data.name,
    publicFrom: data.isPublic ? FIRST_VERSION : null,
    isRestricted: data.isRestricted ?? false,
    editing: data.editing ?? "all",
    parts: false,
    members: new Map([[data.createdBy, { kind: "user", right: "own" }]]),
    version: 0,
    lastRevision: 0,
    open: null,
    eventCount: 0,
    bounds: NO_BOUNDS,
    contentHash: "",
    metadata: null,
    shares: new Map(),
    sources: null,
    decided: 0,
    schedules: new Map(),
  };
}

export function createCatalogue(
  state: CatalogueState,
  command: CatalogueEventData<"CatalogueCreated">,
): CatalogueEvent[] {
  if (state.status !== "absent") throw new Refusal("CONFLICT", "This catalogue exists already");
  return [{ type: "CatalogueCreated", data: { ...command, name: catalogueName(command.name) } }];
}

/** Who may read a new catalogue, as its event tells it. */
export function publicity(
  access: CatalogueAccess,
): Pick<CatalogueEventData<"CatalogueCreated">, "isPublic" | "isRestricted"> {
  return {
    isPublic: access === "public",
    ...(access === "restricted" && { isRestricted: true }),
  };
}

export type MergeOrigin = {
  readonly config: MergeConfig;
  readonly sources: readonly MergedSource[];
  /** Merged events that stand for more than one. */
  readonly duplicateGroups: number;
  /** Of the rules that grouped the events. */
  readonly rules: number;
};

/** Records the merge that makes a new catalogue's first revision, so that it can be repeated. */
export function recordMerge(
  state: CatalogueState,
  { config, sources, duplicateGroups, rules }: MergeOrigin,
): CatalogueEvent[] {
  const { catalogueId, lastRevision } = existing(state);
  if (lastRevision > 0) throw new Refusal("CONFLICT", "Only a new catalogue can be merged");
  const data = { catalogueId, config, sources: [...sources], duplicateGroups, rules };
  return [{ type: "CatalogueMerged", data }];
}

export function otherChange(): RetryLater {
  return new RetryLater("CONFLICT", "Another change of this catalogue is in progress");
}

/** The open revision is the catalogue's write lock: there is at most one. */
export function openRevision(
  state: CatalogueState,
  command: Pick<CatalogueEventData<"RevisionOpened">, "cause" | "worker" | "restores" | "reason">,
): CatalogueEvent[] {
  const { catalogueId, lastRevision, open } = existing(state);
  if (open) throw otherChange();
  const data = { catalogueId, revision: lastRevision + 1, ...command };
  return [{ type: "RevisionOpened", data }];
}

export type CommitRevision = Omit<
  CatalogueEventData<"RevisionCommitted">,
  "catalogueId" | "cause" | "eventCount"
>;

export function commitRevision(state: CatalogueState, command: CommitRevision): CatalogueEvent[] {
  const catalogue = existing(state);
  const { cause } = openRevisionOf(catalogue, command.revision);
  const { catalogueId, eventCount } = catalogue;
  const after = eventCount + command.added - command.removed;
  const data = { catalogueId, cause, ...command, eventCount: after };
  return [{ type: "RevisionCommitted", data }];
}

/** Deletion needs no lock: an open revision can no longer be committed after it. */
export function deleteCatalogue(state: CatalogueState): CatalogueEvent[] {
  const { catalogueId } = existing(state);
  return [{ type: "CatalogueDeleted", data: { catalogueId } }];
}

export function existing(state: CatalogueState): ExistingCatalogue {
  if (state.status !== "existing") throw new Refusal("NOT_FOUND", "Catalogue not found");
  return state;
}

/** @throws Refusal UNAVAILABLE */
export function openRevisionOf(catalogue: ExistingCatalogue, revision: number): OpenRevision {
  if (catalogue.open?.revision !== revision) throw givenUp(revision);
  return catalogue.open;
}

function givenUp(revision: number): Refusal {
  return new Refusal("UNAVAILABLE", `Revision ${revision} is not open any more; try again`);
}

/** Whether the catalogue has nothing but the open revision. */
function goesWithItsRevision({ version, open }: ExistingCatalogue): boolean {
  return version === 0 && (open?.cause === "created" || open?.cause === "merge");
}

/**
 * Checks that the revision opened with `opened` still exists: its process may have been considered
 * dead.
 * @throws Refusal UNAVAILABLE: the catalogue went with the revision
 */
export function requireNotGivenUp(opened: ExistingCatalogue, present: CatalogueState): void {
  if (present.status === "deleted" && goesWithItsRevision(opened)) {
    throw givenUp(opened.lastRevision);
  }
}

export type UpdateCatalogue = {
  readonly name?: string;
  /** The same in part: false leaves a restricted catalogue restricted. */
  readonly isPublic?: boolean;
  readonly access?: CatalogueAccess;
  readonly editing?: Editing;
  readonly parts?: boolean;
  /** Whether the actor may say who reads and changes it; absent for no. */
  readonly isByOwner?: boolean;
  /** For a public catalogue: whether guests also see the versions before its publication. */
  readonly publishHistory?: boolean;
  /** Replaces all of it; null removes it. */
  readonly metadata?: CatalogueMetadata | null;
};

/** Unchanged members make no events. @throws Refusal NOT_FOUND, FORBIDDEN, MISSING_NAME, NAME_TOO_LONG */
export function updateCatalogue(state: CatalogueState, command: UpdateCatalogue): CatalogueEvent[] {
  const catalogue = existing(state);
  const { catalogueId, name } = catalogue;
  const events: CatalogueEvent[] = [];
  const newName = command.name === undefined ? name : catalogueName(command.name);
  if (newName !== name) {
    events.push({ type: "CatalogueRenamed", data: { catalogueId, name: newName } });
  }
  events.push(...visibilityOf(catalogue, command), ...editingOf(catalogue, command));
  const { parts = catalogue.parts } = command;
  if (parts !== catalogue.parts)
    events.push({ type: "PartsChanged", data: { catalogueId, parts } });
  return [...events, ...describeCatalogue(state, command.metadata)];
}

/** Publishing and its end are everybody's who may change the catalogue; restricting and its end are not. */
function visibilityOf(catalogue: ExistingCatalogue, command: UpdateCatalogue): CatalogueEvent[] {
  const { catalogueId, isRestricted: wasRestricted } = catalogue;
  const access = accessOf(command);
  const isAsBefore = access === undefined || access === "private";
  const isRestricted = isAsBefore ? wasRestricted : access === "restricted";
  const publicFrom = publicFromOf(catalogue, command);
  if (publicFrom === catalogue.publicFrom && isRestricted === wasRestricted) return [];
  if (isRestricted !== wasRestricted) requireOwner(command);
  const data = { catalogueId, isPublic: publicFrom !== null, publicFrom };
  const restricted = isRestricted && { isRestricted };
  return [{ type: "VisibilityChanged", data: { ...data, ...restricted } }];
}

/** `private`: restricted where it is, else internal. */
function accessOf({ access, isPublic }: UpdateCatalogue): CatalogueAccess | "private" | undefined {
  if (access !== undefined || isPublic === undefined) return access;
  return isPublic ? "public" : "private";
}

function editingOf(catalogue: ExistingCatalogue, command: UpdateCatalogue): CatalogueEvent[] {
  const { catalogueId, editing: before } = catalogue;
  const { editing = before } = command;
  if (editing === before) return [];
  requireOwner(command);
  return [{ type: "EditingChanged", data: { catalogueId, editing } }];
}

function requireOwner({ isByOwner }: UpdateCatalogue): void {
  if (isByOwner) return;
  const message = "Only owners and administrators say who is a catalogue's reader and editor";
  throw new Refusal("FORBIDDEN", message);
}

/** Equal metadata make no event, in whatever order their members stand. */
export function describeCatalogue(
  state: CatalogueState,
  metadata: CatalogueMetadata | null | undefined,
): CatalogueEvent[] {
  const { catalogueId, metadata: present } = existing(state);
  if (metadata === undefined || isSame(metadata, present)) return [];
  return [{ type: "MetadataChanged", data: { catalogueId, metadata } }];
}

function isSame(one: CatalogueMetadata | null, other: CatalogueMetadata | null): boolean {
  const written = (metadata: CatalogueMetadata | null) =>
    JSON.stringify(metadata && StoredMetadata.parse(metadata));
  return written(one) === written(other);
}

/**
 * The first version that guests may read: the latest one at the publication, or the very first. For
 * a catalogue that is public already it stays the same, unless the history is published.
 */
function publicFromOf({ publicFrom, version }: ExistingCatalogue, command: UpdateCatalogue) {
  const access = accessOf(command);
  const { publishHistory = false } = command;
  if (access === undefined) return publicFrom;
  if (access !== "public") return null;
  if (publishHistory) return FIRST_VERSION;
  return publicFrom ?? Math.max(version, FIRST_VERSION);
}

/** Why an import's revision was given up: its own end tells more. */
export const IMPORT_FAILED = "its import failed";

export type AbandonRevision = {
  readonly revision: number;
  readonly reason: string;
  /** For an import's revision: its progress, and why it failed if more than the reason is known. */
  readonly tally?: ImportTally;
  readonly failure?: ImportFailure;
};

/**
 * A new catalogue whose only revision is abandoned goes with it, since no client knows its id. After
 * an agency import it stays, to show the failed run; the run ends with its revision, whoever
 * abandons it.
 */
export function abandonRevision(
  state: CatalogueState,
  { revision, reason, tally = NOTHING_IMPORTED, failure }: AbandonRevision,
): CatalogueEvent[] {
  const catalogue = existing(state);
  const { importId } = openRevisionOf(catalogue, revision);
  const { catalogueId } = catalogue;
  const events: CatalogueEvent[] = [
    { type: "RevisionAbandoned", data: { catalogueId, revision, reason } },
  ];
  if (importId !== null) {
    const why = failure ?? { code: null, message: `The import was cut off: ${reason}` };
    events.push({ type: "ImportFailed", data: { catalogueId, importId, tally, failure: why } });
  }
  if (goesWithItsRevision(catalogue)) {
    events.push({ type: "CatalogueDeleted", data: { catalogueId } });
  }
  return events;
}

/**
 * A catalogue's name in stored form: trimmed, 1 to 255 Unicode code points, one visible line.
 * @throws Refusal MISSING_NAME, NAME_TOO_LONG, VALIDATION_ERROR
 */
export function catalogueName(text: string): string {
  const name = text.trim();
  if (name === "") throw new Refusal("MISSING_NAME", "A name is required");
  if (!isShownLine(name)) throw new Refusal("VALIDATION_ERROR", `The name ${NOT_SHOWN}`);
  if ([...name].length > CATALOGUE_NAME_MAX) {
    throw new Refusal("NAME_TOO_LONG", `The name is longer than ${CATALOGUE_NAME_MAX} characters`);
  }
  return name;
}

export type BoundName = keyof Bounds;

/** The bounds on which an event lies: without the event these may shrink, others stay. */
export function touchedBounds(
  bounds: Bounds,
  event: Pick<SeismicEventRecord, "time" | "latitude" | "longitude" | "magnitude">,
): BoundName[] {
  const values: Record<BoundName, number | string | null> = {
    min_latitude: event.latitude,
    max_latitude: event.latitude,
    min_longitude: event.longitude,
    max_longitude: event.longitude,
    min_magnitude: event.magnitude,
    max_magnitude: event.magnitude,
    start_time: event.time,
    end_time: event.time,
  };
  const names = Object.keys(values) as BoundName[];
  return names.filter((name) => {
    const [value, bound] = [values[name], bounds[name]];
    const areTimes = typeof value === "string" && typeof bound === "string";
    return areTimes ? compareTimes(value, bound) === 0 : value !== null && value === bound;
  });
}

import type { CatalogueMetadata } from "#contracts/catalogue-metadata.ts";
import type { Editing, MemberKind, MemberRight } from "#contracts/catalogue-rights.ts";
import {
  type Bounds,
  type CatalogueEvent,
  type CatalogueEventData,
  NO_BOUNDS,
  type RevisionCause,
} from "#contracts/domain-events/catalogue-events.ts";
import type { ScheduleSettings } from "#contracts/schedule.ts";
import { unknownCase } from "#contracts/unknown-case.ts";

export type OpenRevision = {
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
    case "VisibilityChanged":
      return {
        ...state,
        publicFrom: event.data.publicFrom,
        isRestricted: event.data.isRestricted ?? false,
      };
    case "EditingChanged":
      return { ...state, editing: event.data.editing };
    case "MemberSet": {
      const { memberId, kind, right } = event.data;
      return { ...state, members: new Map([...state.members, [memberId, { kind, right }]]) };
    }
    case "MemberRemoved": {
      const { memberId } = event.data;
      return { ...state, members: new Map([...state.members].filter(([id]) => id !== memberId)) };
    }
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
      return {
        ...state,
        lastRevision: revision,
        open: { revision, cause, worker, importId: null },
      };
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
    case "ShareEnded": {
      const { shareId } = event.data;
      return { ...state, shares: new Map([...state.shares].filter(([id]) => id !== shareId)) };
    }
    case "ScheduleMade":
    case "ScheduleChanged": {
      const { scheduleId, settings } = event.data;
      return { ...state, schedules: new Map([...state.schedules, [scheduleId, settings]]) };
    }
    case "ScheduleEnded": {
      const { scheduleId } = event.data;
      const left = [...state.schedules].filter(([id]) => id !== scheduleId);
      return { ...state, schedules: new Map(left) };
    }
    case "CatalogueDeleted":
      return { status: "deleted" };
    default:
      return unknownCase(event);
  }
}

function created(data: CatalogueEventData<"CatalogueCreated">): ExistingCatalogue {
  return {
    status: "existing",
    catalogueId: data.catalogueId,
    name: data.name,
    publicFrom: data.isPublic ? FIRST_VERSION : null,
    isRestricted: data.isRestricted ?? false,
    editing: data.editing ?? "all",
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

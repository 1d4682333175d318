import type { ClientBase } from "pg";
import { Refusal } from "#contracts/errors.ts";
import type { MergeCounts } from "#contracts/http/merges/merge.ts";
import type { MergeConfig, MergedSource } from "#contracts/merge/merge-config.ts";
import type { MergeDecision } from "#contracts/merge/merge-decision.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { isoTime } from "#projections/read/copied-rows.ts";
import {
  type EventsOfSources,
  latestVersions,
  ORIGIN_COLUMNS,
  orderedRows,
  type SourceVersion,
} from "#projections/read/merges/sources.ts";
import type { Reader } from "#projections/read/rights.ts";
import type { DecidedGroup } from "#services/domain/merges/decisions.ts";
import {
  countDuplicateGroups,
  type Grouping,
  type GroupingRules,
  groupEvents,
  type RowDecisions,
  TooManyCandidates,
} from "#services/domain/merges/grouping/group-events.ts";
import {
  createOriginsBuilder,
  createTextColumnBuilder,
  type Origins,
  type TextColumn,
} from "#services/domain/merges/grouping/origins.ts";
import { windowsOf } from "#services/domain/merges/grouping/thresholds.ts";
import { type MergeRules, mergeRulesOf } from "#services/domain/merges/solution/strategies.ts";
import { requireDecidable } from "../decisions/require-decidable.ts";
import { createRowDecisions, decisionsInForce } from "./decisions-in-force.ts";
import { unmetPreferences } from "./unmet-preferences.ts";

/** The sources of a merge, in the order used by the strategies, and its rules. */
export type MergeRequest = {
  readonly sources: readonly { readonly id: string; readonly source: string }[];
  readonly config: MergeConfig;
  /** What people say of events of the sources. */
  readonly decisions?: readonly MergeDecision[];
  /** Whose sources they are: others do not exist. */
  readonly reader: Reader;
};

/** A source with the version to read, and its label. */
export type MergeSource = SourceVersion & { readonly source: string };

/** What the log keeps of a source. */
export function mergedSource({ id, name, source, version, eventCount }: MergeSource): MergedSource {
  return { id, name, source, version, event_count: eventCount };
}

/** The events of all sources by column, in the order of `orderedRows`. */
type ReadOrigins = {
  readonly origins: Origins;
  readonly sourceIds: TextColumn;
  /** Of the events that were read. */
  readonly decided: RowDecisions;
};

/** The groups of a merge, before any event is read whole. */
export type MergePlan = ReadOrigins & {
  /** The events that are merged; null for all of the sources. */
  readonly only: EventsOfSources;
  readonly sources: readonly MergeSource[];
  readonly rules: MergeRules;
  readonly groupingRules: GroupingRules;
  readonly grouping: Grouping;
  readonly counts: MergeCounts;
};

/** Origins and ids of this many events take about a gigabyte. */
const MAX_EVENTS = 5_000_000;

/**
 * Reads times and places of the sources' events and groups them.
 * @param client in a transaction with isolation REPEATABLE READ
 * @throws Refusal VALIDATION_ERROR, NOT_FOUND, CONFLICT, MERGE_ERROR
 */
export async function planMerge(
  client: ClientBase,
  { sources: wanted, config, decisions: made = [], reader }: MergeRequest,
  maxEvents?: number,
): Promise<MergePlan> {
  const of = { sources: wanted.map(({ id }) => id), reader };
  await requireDecidable(statementsOn(client), of, made, made);
  const sources = await resolveSources(client, wanted, reader);
  const decisions = await decisionsInForce(client, sources, made);
  const plan = await planOf(client, sources, config, {
    decisions,
    ...(maxEvents !== undefined && { maxEvents }),
  });
  const warnings = await unmetPreferences(client, sources, config);
  return warnings.length === 0 ? plan : { ...plan, counts: { ...plan.counts, warnings } };
}

export type PlanOptions = {
  /** Default 5,000,000. */
  readonly maxEvents?: number;
  /** Whole components of the graph of candidates: their groups are those of a merge of all events. */
  readonly only?: EventsOfSources;
  /** Those in force (`decisionsInForce`). */
  readonly decisions?: readonly DecidedGroup[];
};

/**
 * The same of sources whose versions are known.
 * @throws Refusal MERGE_ERROR
 */
export async function planOf(
  client: ClientBase,
  sources: readonly MergeSource[],
  config: MergeConfig,
  { maxEvents = MAX_EVENTS, only = null, decisions = [] }: PlanOptions = {},
): Promise<MergePlan> {
  const count = sources.reduce((sum, { eventCount }) => sum + eventCount, 0);
  if (count > maxEvents) {
    throw new Refusal("MERGE_ERROR", `The sources have more than ${maxEvents} events in all`);
  }
  const read = await readOrigins(client, sources, only, decisions);
  const rules = mergeRulesOf(config);
  const windows = windowsOf(
    config.windows,
    sources.map(({ source }) => source),
  );
  const groupingRules = {
    thresholds: rules.thresholds,
    windows,
    linkage: config.linkage,
    decisions: read.decided,
  };
  const grouping = groupRows(read, groupingRules);
  const { length: originalEventCount } = read.origins;
  const counts = {
    eventCount: grouping.count,
    originalEventCount,
    duplicateGroups: countDuplicateGroups(grouping),
    duplicatesRemoved: originalEventCount - grouping.count,
  };
  return { ...read, only, sources, rules, groupingRules, grouping, counts };
}

async function resolveSources(
  client: ClientBase,
  wanted: MergeRequest["sources"],
  reader: Reader,
): Promise<MergeSource[]> {
  const versions = await latestVersions(
    client,
    wanted.map(({ id }) => id),
    reader,
  );
  const byId = new Map(versions.map((version) => [version.id, version]));
  return wanted.map(({ id, source }) => {
    const version = byId.get(id);
    if (version === undefined) throw new Refusal("NOT_FOUND", `Catalogue ${id} not found`);
    if (version.version === 0) {
      throw new Refusal("CONFLICT", `Catalogue ${id} has no version yet that could be merged`);
    }
    return { ...version, source };
  });
}

/** All possible digits of a time, since rows are distinguished by microseconds. */
const TIME_DIGITS = 6;

/** The columns of ORIGIN_COLUMNS. */
type OriginRow = readonly [
  source: string,
  id: string,
  time: string,
  latitude: string,
  longitude: string,
  magnitude: string | null,
  sourceId: string | null,
];

/** @throws Error when the number of rows differs from the versions' counts */
async function readOrigins(
  client: ClientBase,
  sources: readonly SourceVersion[],
  only: EventsOfSources,
  decisions: readonly DecidedGroup[],
): Promise<ReadOrigins> {
  const counts = only === null ? sources.map(({ eventCount }) => eventCount) : only.map(lengthOf);
  const count = counts.reduce((sum, one) => sum + one, 0);
  const builder = createOriginsBuilder(count);
  const sourceIds = createTextColumnBuilder(count);
  const decided = createRowDecisions(decisions);
  let length = 0;
  for await (const rows of orderedRows(client, sources, ORIGIN_COLUMNS, only)) {
    for (const row of rows) {
      const [source, id, time, latitude, longitude, magnitude, sourceId] =
        row as unknown as OriginRow;
      builder.push({
        source: Number(source),
        id,
        time: isoTime(time, TIME_DIGITS),
        latitude: Number(latitude),
        longitude: Number(longitude),
        magnitude: magnitude === null ? null : Number(magnitude),
      });
      sourceIds.push(sourceId);
      decided.see(id, length);
      length += 1;
    }
  }
  if (length !== count) throw new Error(`${length} of ${count} events were there`);
  return { origins: builder.finish(), sourceIds: sourceIds.finish(), decided: decided.finish() };
}

const lengthOf = ({ length }: readonly string[]) => length;

/** @throws Refusal MERGE_ERROR */
export function groupRows(
  { origins }: Pick<ReadOrigins, "origins">,
  rules: GroupingRules,
): Grouping {
  try {
    return groupEvents(origins, rules);
  } catch (cause) {
    if (!(cause instanceof TooManyCandidates)) throw cause;
    throw new Refusal("MERGE_ERROR", `${cause.message}; narrow them`, { cause });
  }
}

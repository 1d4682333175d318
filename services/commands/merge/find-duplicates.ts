import type { ClientBase } from "pg";
import type { Duplicates } from "#contracts/http/events/duplicates.ts";
import { MERGE_LIMITS } from "#contracts/merge/merge-config.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { isoTime } from "#projections/read/copied-rows.ts";
import {
  DUPLICATE_COLUMNS,
  duplicateRows,
  versionOrigins,
} from "#projections/read/merges/sources.ts";
import {
  createRecordReader,
  type ResolvedVersion,
  requirePresent,
} from "#projections/read/versions.ts";
import { type Grouping, membersOf, sizeOf } from "#services/domain/merges/grouping/group-events.ts";
import { createOriginsBuilder, type Origins } from "#services/domain/merges/grouping/origins.ts";
import { thresholdsOf } from "#services/domain/merges/grouping/thresholds.ts";
import { groupRows } from "./plan/merge-plan.ts";
import { placeOf } from "./preview-pairs.ts";

export type DuplicatesRequest = {
  readonly version: Pick<ResolvedVersion, "id" | "key" | "version" | "eventCount">;
  readonly filters: EventFilters;
  /** Seconds. */
  readonly timeThreshold: number;
  /** Kilometres. */
  readonly distanceThreshold: number;
  readonly magnitudeDifference?: number | undefined;
};

type Group = Duplicates["groups"][number];
type Duplicate = Group["members"][number];

/**
 * Groups the events of one version as a merge does where each is of a source of its own.
 * @param client in a transaction with isolation REPEATABLE READ
 * @throws Refusal NOT_FOUND, MERGE_ERROR where thresholds make too many pairs
 */
export async function duplicatesIn(
  client: ClientBase,
  { version, filters, timeThreshold, distanceThreshold, magnitudeDifference }: DuplicatesRequest,
): Promise<Duplicates> {
  await requirePresent(statementsOn(client), version);
  const origins = await readOrigins(client, version, filters);
  const grouping = groupRows(
    { origins },
    {
      thresholds: thresholdsOf(timeThreshold, distanceThreshold),
      ...(magnitudeDifference !== undefined && { magnitudeDifference }),
    },
  );
  const { groups, truncated } = firstGroups(grouping);
  const idOf = (row: number) => origins.ids.textOf(row) ?? "";
  const ids = groups.map((rows) => Array.from(rows, idOf));
  const shown = await readDuplicates(client, version, ids.flat());
  const memberOf = (id: string): Duplicate => {
    const member = shown.get(id);
    if (member === undefined) throw new RangeError(`no event ${id}`);
    return member;
  };
  return {
    version: version.version,
    groups: ids.map((members) => ({ members: members.map(memberOf) })),
    truncated,
  };
}

/** All possible digits of a time, since rows are distinguished by microseconds. */
const TIME_DIGITS = 6;

async function readOrigins(
  client: ClientBase,
  version: DuplicatesRequest["version"],
  filters: EventFilters,
): Promise<Origins> {
  const builder = createOriginsBuilder(version.eventCount);
  let source = 0;
  for await (const rows of versionOrigins(client, version, filters)) {
    for (const [id, time, latitude, longitude, magnitude = null] of rows) {
      builder.push({
        source,
        id: id ?? "",
        time: isoTime(time ?? "", TIME_DIGITS),
        latitude: Number(latitude),
        longitude: Number(longitude),
        magnitude: magnitude === null ? null : Number(magnitude),
      });
      source += 1;
    }
  }
  return builder.finish();
}

/** Groups of more than one event, as many as are shown. */
function firstGroups(grouping: Grouping): { groups: Int32Array[]; truncated: boolean } {
  const groups: Int32Array[] = [];
  let members = 0;
  for (let group = 0; group < grouping.count; group++) {
    const size = sizeOf(grouping, group);
    if (size === 1) continue;
    members += size;
    const isFull = groups.length === MERGE_LIMITS.duplicateGroups;
    if (isFull || members > MERGE_LIMITS.duplicateMembers) return { groups, truncated: true };
    groups.push(membersOf(grouping, group));
  }
  return { groups, truncated: false };
}

const recordOf = createRecordReader(DUPLICATE_COLUMNS);
const EVENT_ID = DUPLICATE_COLUMNS.indexOf("event_id");

async function readDuplicates(
  client: ClientBase,
  version: DuplicatesRequest["version"],
  ids: readonly string[],
): Promise<Map<string, Duplicate>> {
  const found = new Map<string, Duplicate>();
  for await (const rows of duplicateRows(client, version, ids)) {
    for (const row of rows) {
      const id = row[EVENT_ID] ?? "";
      const record = recordOf(row);
      found.set(id, { event_id: id, source_id: record.source_id, ...placeOf(record) });
    }
  }
  return found;
}

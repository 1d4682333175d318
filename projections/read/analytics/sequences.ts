/** Events that belong together: aftershocks, and what declustering reads and has labelled. */

import type { ClientBase } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { ClusterRole } from "#contracts/analytics/declustering.ts";
import type { TextRow } from "#infra/postgres/copy/copied.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { type Connection, statementsOn } from "#infra/postgres/statements.ts";
import { ofRoleOf } from "#infra/stores/declustering.ts";
import {
  type AnalysisSelection,
  asTimes,
  filterConditions,
  selectedEvents,
  TIMES_OF_GROUP,
} from "../conditions.ts";
import { bulletinColumn, EVENT_COLUMNS, type VersionRows, visibleAt } from "../versions.ts";

const MainEvent = z.object({ start: z.string(), latitude: z.number(), longitude: z.number() });

/** When and where a main event was; `start` is its time. */
export type MainEvent = z.infer<typeof MainEvent>;

/** An event of a version, whether or not it satisfies the filters; null if there is none. */
export async function mainEvent(
  pool: Connection,
  { version }: Pick<AnalysisSelection, "version">,
  id: string,
): Promise<MainEvent | null> {
  const [found] = await statementsOn(pool).any(sql.type(MainEvent)`
    select latitude, longitude, ${asTimes(sql.fragment`time`, sql.fragment`time`)}
    from read_model.seismic_events
    where ${visibleAt(version)} and event_id = ${id}`);
  return found ?? null;
}

const Aftershocks = z.object({
  events: z.int(),
  last: z.number().nullable(),
  inWindow: z.int(),
  days: z.instanceof(Buffer).nullable(),
  start: z.string().nullable(),
  end: z.string().nullable(),
});

/**
 * The `events` from a main event on, which itself is none of them, the last `last` days after it. `days`
 * are those within the window, as doubles of 8 bytes, the most significant first, ascending; null where
 * there are none, or more than asked for.
 */
export type Aftershocks = z.infer<typeof Aftershocks>;

export type AftershockPlan = {
  /** ISO 8601. */
  readonly mainTime: string;
  readonly mainId: string | null;
  /** Around a place, km. */
  readonly circle: { latitude: number; longitude: number; maxRadiusKm: number } | null;
  /** Days, inclusive; without an end, to the last event. */
  readonly start: number;
  readonly end: number | null;
  readonly limit: number;
};

export async function aftershocks(
  pool: Connection,
  selection: AnalysisSelection,
  plan: AftershockPlan,
): Promise<Aftershocks> {
  const { mainTime, circle, start, end, limit } = plan;
  const isWithin = sql.fragment`day between ${start} and ${end ?? "infinity"}::double precision`;
  return statementsOn(pool).one(sql.type(Aftershocks)`
    with later as materialized (
      select time,
        extract(epoch from time - ${mainTime}::timestamptz)::double precision / 86400 as day
      from ${selectedEvents(selection)} and ${isLater(plan)}
        and ${circle === null ? sql.fragment`true` : filterConditions(circle)}
    ),
    counted as (
      select count(*) filter (where ${isWithin}) as "inWindow" from later
    )
    select count(*)::int as events, max(day) as last,
      (select "inWindow" from counted)::int as "inWindow",
      case when (select "inWindow" from counted) <= ${limit} then
        (select string_agg(float8send(day), ''::bytea order by day) from later where ${isWithin})
      end as days,
      ${TIMES_OF_GROUP}
    from later`);
}

/** What is at the very time of a main event that was given by its time is taken for the main event. */
function isLater({ mainTime, mainId }: AftershockPlan): FragmentSqlToken {
  return mainId === null
    ? sql.fragment`time > ${mainTime}::timestamptz`
    : sql.fragment`time >= ${mainTime}::timestamptz and event_id <> ${mainId}`;
}

/** Columns of the rows of `eventPositions`, as texts; the time in milliseconds since 1970. */
export const POSITION = {
  id: 0,
  time: 1,
  latitude: 2,
  longitude: 3,
  depth: 4,
  magnitude: 5,
} as const;

/** Where, when and how large the events of a selection are that have a magnitude, by time, then id. */
export function eventPositions(client: ClientBase, selection: AnalysisSelection) {
  return copyRows(
    client,
    sql.fragment`
      select event_id, extract(epoch from time) * 1000, latitude, longitude, depth, magnitude
      from ${selectedEvents(selection)} and magnitude is not null
      order by time, event_id`,
  );
}

/**
 * The events of a role in a result of declustering: EVENT_COLUMNS, the cluster, 0 for none, and the
 * bulletin, by time.
 */
export function labelledEvents(
  client: ClientBase,
  version: VersionRows,
  { result, role }: { readonly result: string; readonly role: ClusterRole },
): AsyncGenerator<TextRow[]> {
  return copyRows(
    client,
    sql.fragment`
      select ${EVENT_COLUMNS}, cluster, ${bulletinColumn(undefined, "e")}
      from (select event_id, cluster, place from operations.decluster_labels
        where result = ${result}::uuid and ${ofRoleOf(role)}) l
      join read_model.seismic_events e using (event_id)
      where ${visibleAt(version)}
      order by place`,
  );
}

import type { ClientBase } from "pg";
import type { WithdrawnHandling } from "#contracts/import-run.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import type { WithheldEvents } from "#contracts/schedule.ts";
import { microsToTime, timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import { bareIdOf } from "#contracts/seismic-event/public-id.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { type AgencyQuery, filtersOf } from "#infra/agency/agency-query.ts";
import {
  type AskedWindow,
  copyWindowIds,
  countDelivered,
  deliveredAmong,
  type PresentIds,
} from "#projections/queries/edits/read-delivered.ts";
import { copyWholeById } from "#projections/queries/edits/read-known-events.ts";
import { LOOKUP, WITHDRAWN_AT } from "../changes/change-writer.ts";
import type { Chunk } from "../changes/chunks-of-thread.ts";
import type { Tally } from "./import-tally.ts";
import type { ImportTarget, ImportWriter } from "./import-writer.ts";

/** A larger share of the agency's events in the window is not believed to be withdrawn. */
const MAX_SHARE = 0.2;
/** So few are believed all the same, once so many whole runs in a row have missed them: windows may be nearly empty. */
const FEW = 3;
const RUNS_IN_A_ROW = 3;
/** Events of which it is kept how often they were missed. */
const MOST_KEPT = 1_000;
/** An event whose time is corrected across the window's start was not withdrawn. */
const INSIDE_START = 60_000_000n;

export type WithdrawalWindow = {
  readonly target: ImportTarget;
  readonly query: AgencyQuery;
  /** The agency's id and name. */
  readonly agencyId: string;
  readonly agency: string;
  readonly withdrawn: WithdrawnHandling;
  /** Events that earlier runs have withheld: how many whole runs in a row have missed them, by their ids. */
  readonly missed?: WithheldEvents["missed"] | undefined;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
};

/**
 * Marks or removes the events that the agency delivered once and has no more, of a window that was read
 * whole. Where existing events are not updated, those that are back lose their marks here. What would be too many
 * is withheld: an agency that has lost its events has not withdrawn them.
 * @param client the run's own connection
 * @param isPresent whether the agency has an event by one of the names
 * @returns what is withheld, if anything is
 */
export async function* withdrawMissing(
  client: ClientBase,
  { writer, tally }: { writer: Pick<ImportWriter, "withdraw" | "isRenamed">; tally: Tally },
  isPresent: (...names: readonly (string | null)[]) => boolean,
  { target, query, agencyId, agency, withdrawn, missed = {}, nowMs }: WithdrawalWindow,
): AsyncGenerator<Chunk, WithheldEvents | undefined> {
  if (withdrawn === "keep") return undefined;
  const window: AskedWindow = { base: target, filters: insideOf(query) };
  const isThere = (event: PresentIds) =>
    isPresent(event.sourceId, event.publicId, bareIdOf(event)) || writer.isRenamed(event.id);

  const missing: string[] = [];
  for await (const event of copyWindowIds(client, window)) {
    if (!isThere(event)) missing.push(event.id);
  }
  const gone = await deliveredAmong(client, target, agencyId, missing);
  const held = gone.length === 0 ? 0 : await countDelivered(client, window, agencyId);
  const runsWithout = (id: string) => (missed[id] ?? 0) + 1;
  const isBelieved = (id: string) =>
    gone.length <= MAX_SHARE * held || (gone.length <= FEW && runsWithout(id) >= RUNS_IN_A_ROW);
  const withheld = gone.filter((id) => !isBelieved(id));
  tally.withheld(withheld.length);
  const at = new Date(nowMs).toISOString();
  const withdrawnRow = (event: SeismicEvent) => (withdrawn === "remove" ? null : marked(event, at));
  yield* rewrite(gone.filter(isBelieved), withdrawnRow, true);
  if (!target.updateExisting) {
    const back: string[] = [];
    for await (const event of copyWindowIds(client, window, true)) {
      if (isThere(event)) back.push(event.id);
    }
    yield* rewrite(back, unmarked, false);
  }
  if (withheld.length === 0) return undefined;
  const share = `${gone.length} of its ${held} events in the window no more, which is more than ${100 * MAX_SHARE} %`;
  const until =
    gone.length > FEW
      ? "none of them is withdrawn"
      : `they are withdrawn once ${RUNS_IN_A_ROW} whole runs in a row have missed them`;
  const kept = withheld.toSorted().slice(0, MOST_KEPT);
  return {
    why: `${agency} has ${share}: ${until}`,
    missed: Object.fromEntries(kept.map((id) => [id, runsWithout(id)])),
  };

  async function* rewrite(
    ids: readonly string[],
    rowOf: (event: SeismicEvent) => SeismicEventRecord | null,
    isCounted: boolean,
  ): AsyncGenerator<Chunk> {
    for (let start = 0; start < ids.length; start += LOOKUP) {
      const some = copyWholeById(client, target, ids.slice(start, start + LOOKUP));
      for await (const known of some) {
        const chunk = writer.withdraw(known, rowOf(known.event), isCounted);
        if (chunk !== null) yield { chunk };
      }
    }
  }
}

function marked({ id: _, ...record }: SeismicEvent, at: string): SeismicEventRecord {
  return { ...record, extra: { ...record.extra, [WITHDRAWN_AT]: at } };
}

function unmarked({ id: _, ...record }: SeismicEvent): SeismicEventRecord {
  const { [WITHDRAWN_AT]: __, ...extra } = record.extra ?? {};
  return { ...record, extra: Object.keys(extra).length === 0 ? null : extra };
}

function insideOf(query: AgencyQuery): EventFilters {
  const startTime = microsToTime(timeToMicros(query.startTime) + INSIDE_START, 6);
  return { ...filtersOf(query), startTime, endTime: query.endTime };
}

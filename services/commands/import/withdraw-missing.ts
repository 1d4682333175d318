import type { ClientBase } from "pg";
import type { WithdrawnHandling } from "#contracts/import-run.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { microsToTime, timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import { bareIdOf } from "#contracts/seismic-event/public-id.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { type AgencyQuery, filtersOf } from "#infra/agency/agency-query.ts";
import type { EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import {
  type AskedWindow,
  copyWindowIds,
  countDelivered,
  deliveredAmong,
  type PresentIds,
} from "#projections/queries/edits/read-delivered.ts";
import { copyWholeById } from "#projections/queries/edits/read-known-events.ts";
import { LOOKUP, WITHDRAWN_AT } from "../changes/change-writer.ts";
import type { ImportTarget, ImportWriter } from "./import-writer.ts";

/** The agency would have withdrawn so much that it is not believed. */
export class TooManyWithdrawn extends Error {
  override readonly name = "TooManyWithdrawn";
}

/** A run that would withdraw a larger share of the agency's events in the window fails. */
const MAX_SHARE = 0.2;
/** An event whose time is corrected across the window's start was not withdrawn. */
const INSIDE_START = 60_000_000n;

export type WithdrawalWindow = {
  readonly target: ImportTarget;
  readonly query: AgencyQuery;
  /** The agency's id and name. */
  readonly agencyId: string;
  readonly agency: string;
  readonly withdrawn: WithdrawnHandling;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
};

/**
 * Marks or removes the events that the agency delivered once and has no more, of a window that was read
 * whole. Where existing events are not updated, those that are back lose their marks here.
 * @param client the run's own connection
 * @param isPresent whether the agency has an event by one of the names
 * @throws TooManyWithdrawn before anything is withdrawn
 */
export async function* withdrawMissing(
  client: ClientBase,
  writer: Pick<ImportWriter, "withdraw" | "isRenamed">,
  isPresent: (...names: readonly (string | null)[]) => boolean,
  { target, query, agencyId, agency, withdrawn, nowMs }: WithdrawalWindow,
): AsyncGenerator<EncodedChunk> {
  if (withdrawn === "keep") return;
  const window: AskedWindow = { base: target, filters: insideOf(query) };
  const isThere = (event: PresentIds) =>
    isPresent(event.sourceId, event.publicId, bareIdOf(event)) || writer.isRenamed(event.id);

  const missing: string[] = [];
  for await (const event of copyWindowIds(client, window)) {
    if (!isThere(event)) missing.push(event.id);
  }
  const gone = await deliveredAmong(client, target, agencyId, missing);
  if (gone.length > 0) {
    const held = await countDelivered(client, window, agencyId);
    if (gone.length > MAX_SHARE * held) {
      throw new TooManyWithdrawn(
        `${agency} has ${gone.length} of its ${held} events in the window no more, which is more than ${100 * MAX_SHARE} %: nothing was changed`,
      );
    }
  }
  const at = new Date(nowMs).toISOString();
  const withdrawnRow = (event: SeismicEvent) => (withdrawn === "remove" ? null : marked(event, at));
  yield* rewrite(gone, withdrawnRow, true);
  if (!target.updateExisting) {
    const back: string[] = [];
    for await (const event of copyWindowIds(client, window, true)) {
      if (isThere(event)) back.push(event.id);
    }
    yield* rewrite(back, unmarked, false);
  }

  async function* rewrite(
    ids: readonly string[],
    rowOf: (event: SeismicEvent) => SeismicEventRecord | null,
    isCounted: boolean,
  ): AsyncGenerator<EncodedChunk> {
    for (let start = 0; start < ids.length; start += LOOKUP) {
      const some = copyWholeById(client, target, ids.slice(start, start + LOOKUP));
      for await (const known of some) {
        const chunk = writer.withdraw(known, rowOf(known.event), isCounted);
        if (chunk !== null) yield chunk;
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

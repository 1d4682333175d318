import { type Signal, useSignal } from "@preact/signals";
import type { ColumnName } from "#contracts/http/events.ts";
import { FILTER_NAMES, type FilterName } from "#contracts/query/filters.ts";
import { CallError } from "../../api/call.ts";
import { readColumns } from "../../api/columns.ts";
import { useSettings } from "../../api/settings.ts";
import type { EventColumns } from "../../model/event-columns.ts";
import type { Catalogue } from "../../model/operation-types.ts";
import { type FilterValues, SERVICE_FILTERS, type WorkState } from "../../model/work-state.ts";
import { useCall } from "../../ui/call/use-call.ts";

/** Measures of how well an event is known. */
export const QUALITY_COLUMNS = [
  "azimuthal_gap",
  "standard_error",
  "used_station_count",
  "magnitude_uncertainty",
] as const;

/** Of larger catalogues the table does not mark events with arrivals: each event is four bytes more. */
const MOST_MARKED = 200_000;

/** As long as the service has not said how many events an answer takes. */
export const USUAL_MOST = 2_000_000;

/** Regions have names of their own in catalogues of up to so many events: a column takes no more texts. */
const MOST_NAMED = 65_535;

export type Events = {
  /** The last events that have come; null before the first. */
  readonly columns: EventColumns | null;
  /** Whether others are on their way. */
  readonly isWaiting: boolean;
  /** How much has come of those that are on their way. */
  readonly bytes: Signal<number>;
  /** Whether more events satisfy the filters than one answer takes. */
  readonly areTooMany: boolean;
  readonly error: unknown;
  readonly reload: () => void;
};

/**
 * The events of a catalogue, by column. The browser itself applies the filters that need no more than
 * place, time, depth and magnitude, unless there are too many events to have them all.
 */
export function useEvents(
  { id, event_count }: Catalogue,
  asOf: string | null,
  filters: FilterValues,
  { colour, tab }: WorkState,
): Events {
  const measures =
    tab === "quality" ? QUALITY_COLUMNS : colour === "quality" ? (["azimuthal_gap"] as const) : [];
  const marks = event_count <= MOST_MARKED ? (["arrivals"] as const) : [];
  const names = event_count <= MOST_NAMED ? (["region"] as const) : [];
  const further: readonly ColumnName[] = [...measures, ...marks, ...names];
  const most = useSettings()?.limits.maxColumnEvents ?? USUAL_MOST;
  const query = queryOf(asOf, filters, event_count > most ? FILTER_NAMES : SERVICE_FILTERS);
  const bytes = useSignal(0);
  const { answer, last, error, reload } = useCall(
    JSON.stringify([id, query, further]),
    (signal) => {
      bytes.value = 0;
      return readColumns(id, query, further, {
        signal,
        onBytes: (read) => {
          bytes.value = read;
        },
      });
    },
  );
  const areTooMany = error instanceof CallError && error.status === 413;
  return {
    columns: last,
    isWaiting: answer === null && error === null,
    bytes,
    areTooMany,
    error: areTooMany ? null : error,
    reload,
  };
}

/** The part of the filters that the service applies. */
function queryOf(
  asOf: string | null,
  filters: FilterValues,
  names: readonly FilterName[],
): Record<string, string> {
  const query: Record<string, string> = asOf === null ? {} : { asOf };
  for (const name of names) {
    const value = filters[name];
    if (value) query[name] = value;
  }
  return query;
}

import type { Signal } from "@preact/signals";
import { Link } from "wouter-preact";
import { analysisAddress, readAnalysis } from "../api/analysis.ts";
import { call } from "../api/call.ts";
import { changesOfAccount, has } from "../api/session.ts";
import { Head } from "../features/catalogue/head.tsx";
import { FilterBar } from "../features/work/filters/filter-bar.tsx";
import { type FilteredEvents, useFilteredEvents } from "../features/work/filters/local-filter.ts";
import { useFilters } from "../features/work/filters/use-filters.ts";
import { Overview } from "../features/work/overview.tsx";
import { type Events, useEvents } from "../features/work/use-events.ts";
import { WorkArea } from "../features/work/work-area.tsx";
import type { EventColumns } from "../model/event-columns.ts";
import type { Catalogue } from "../model/operation-types.ts";
import type { PageProps } from "../model/page-route.ts";
import {
  type FilterValues,
  filterCount,
  SERVICE_FILTERS,
  type WorkState,
} from "../model/work-state.ts";
import { ErrorNotice } from "../ui/call/notices.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { useMayChange } from "../ui/call/use-may-change.ts";
import { Checkbox } from "../ui/form/inputs.tsx";
import { Late } from "../ui/late.tsx";
import { Empty, FailedPage, isGone, Waiting } from "../ui/states.tsx";
import { count, decimal, events, UNKNOWN } from "../ui/text/format.ts";
import { UtcTime } from "../ui/text/moment.tsx";
import { type Change, useWorkState } from "../ui/use-work-state.ts";

// Their pages tell the same: the first load does not wait for these lines.
const currentLine = async () =>
  (await import("../features/schedules/current-line.tsx")).CurrentLine;
const behindLine = async () =>
  (await import("../features/merge/merged/behind-line.tsx")).BehindLine;

/** The work page of a catalogue: its events on a map, in a table and along time, linked. */
export function Page({ params: { id = "" } }: PageProps) {
  const { last, error, reload } = useCall<Catalogue>(`${id} ${changesOfAccount.value}`, (signal) =>
    call("GET /api/catalogues/:id", { params: { id } }, { signal }),
  );
  const catalogue = last?.id === id ? last : null;
  if (catalogue === null || isGone(error)) {
    if (error === null) return <Waiting />;
    return <FailedPage title="Catalogue" error={error} retry={reload} />;
  }
  return (
    <>
      <ErrorNotice error={error} retry={reload} />
      <Work key={id} catalogue={catalogue} reload={reload} />
    </>
  );
}

type WorkProps = { readonly catalogue: Catalogue; readonly reload: () => void };

function Work({ catalogue, reload }: WorkProps) {
  const { id } = catalogue;
  const [state, change] = useWorkState();
  const filters = useFilters(state);
  // Pinned: what comes to the catalogue is offered, and never changes what is being looked at.
  const asOf = state.asOf ?? (catalogue.version > 0 ? String(catalogue.version) : null);
  const events = useEvents(catalogue, asOf, filters.all, state);
  const { columns, areTooMany } = events;
  const passed = useFilteredEvents(columns, filters);
  const query = { ...(asOf !== null && { asOf }), ...filters.all };
  const passing = useEventCount(id, query, events, passed);
  const seen = { ...state, filters: filters.all };
  const isOld = columns !== null && state.asOf !== null && columns.version !== catalogue.version;
  const area = { catalogue, state, change, filters };
  const head = (
    <>
      <Head catalogue={catalogue} state={seen} passing={passing} change={change} reload={reload} />
      {has("editor") && state.asOf === null && <Late load={currentLine} of={{ catalogue: id }} />}
      {has("editor") && state.asOf === null && catalogue.merge_config !== null && (
        <Late load={behindLine} of={{ catalogue: id }} />
      )}
      {isOld && <VersionBar catalogue={catalogue} version={columns.version} change={change} />}
      <ErrorNotice error={events.error} retry={events.reload} />
    </>
  );
  if (columns?.count === 0 && catalogue.event_count === 0) {
    return (
      <section class="page work">
        {head}
        <NoEvents catalogue={catalogue} />
      </section>
    );
  }
  return (
    <section class="page work">
      {head}
      <FilterBar state={state} moving={filters.moving} change={change} error={events.error}>
        {(areTooMany || columns) && (
          <EventCount
            passing={passing}
            all={
              areTooMany || columns === null
                ? catalogue.event_count
                : allOf(catalogue, columns, state)
            }
            state={state}
            change={change}
            isMoving={filters.moving.value !== undefined}
          />
        )}
      </FilterBar>
      {areTooMany ? (
        <Overview {...area} asOf={asOf} />
      ) : columns === null ? (
        events.error === null && <Loading expected={catalogue.event_count} bytes={events.bytes} />
      ) : (
        <WorkArea {...area} {...passed} columns={columns} isWaiting={events.isWaiting} />
      )}
    </section>
  );
}

/** How many events there are without filters; null where the service has left some out already. */
function allOf(catalogue: Catalogue, columns: EventColumns, { filters }: WorkState): number | null {
  if (columns.version === catalogue.version) return catalogue.event_count;
  return SERVICE_FILTERS.some((name) => filters[name]) ? null : columns.count;
}

type VersionBarProps = {
  readonly catalogue: Catalogue;
  readonly version: number;
  readonly change: Change;
};

/** Tells that an earlier version is shown, and leads back. */
function VersionBar({ catalogue, version, change }: VersionBarProps) {
  const { id } = catalogue;
  const { answer } = useCall(`${id} ${version}`, (signal) =>
    call("GET /api/catalogues/:id/versions/:version", { params: { id, version } }, { signal }),
  );
  const record = answer?.version;
  return (
    <div class="bar warning row" role="status">
      <span>
        Version {count(version)} of {count(catalogue.version)}
        {record && (
          <>
            , <UtcTime at={record.created_at} length={16} /> UTC
          </>
        )}
      </span>
      <button type="button" onClick={() => change({ asOf: null })}>
        To the latest
      </button>
    </div>
  );
}

type EventCountProps = {
  /** Null until it is known. */
  readonly passing: number | null;
  /** How many events there are without filters; null where that is not known. */
  readonly all: number | null;
  readonly state: WorkState;
  readonly change: Change;
  /** While it changes many times a second, nobody wants to hear it. */
  readonly isMoving: boolean;
};

/** How many events are shown, of how many. It takes the same room whatever is chosen: nothing below it moves. */
function EventCount({ passing, all, state, change, isMoving }: EventCountProps) {
  const isFiltered = filterCount(state) > 0 || state.inMap;
  return (
    <div class="row shown">
      <p class="shown-count" aria-live={isMoving ? "off" : "polite"}>
        <strong>{passing === null ? UNKNOWN : count(passing)}</strong>
        {isFiltered && all !== null ? ` of ${events(all)}` : passing === 1 ? " event" : " events"}
      </p>
      <Checkbox checked={state.inMap} onChecked={(inMap) => change({ inMap })}>
        Only what the map shows
      </Checkbox>
      <button
        type="button"
        disabled={!isFiltered}
        onClick={() => change({ filters: {}, inMap: false })}
      >
        Clear
      </button>
    </div>
  );
}

/**
 * How many events pass the filters; null until it is known. Of more events than one answer holds, the
 * service counts them.
 */
function useEventCount(
  catalogue: string,
  query: FilterValues & { readonly asOf?: string },
  { columns, areTooMany }: Events,
  { listed }: FilteredEvents,
): number | null {
  const request = { catalogue, query };
  const summary = useCall(areTooMany ? analysisAddress("summary", request) : "", async (signal) =>
    areTooMany ? readAnalysis("summary", request, signal) : null,
  );
  if (areTooMany) return summary.last?.input.events ?? null;
  return columns && (listed?.length ?? columns.count);
}

type LoadingProps = {
  /** How many events come at most. */
  readonly expected: number;
  readonly bytes: Signal<number>;
};

/** Bytes of an event: id, time, place, depth and magnitude. */
const EVENT_BYTES = 32;

/** How much of the events has come, where the map will be. */
function Loading({ expected, bytes }: LoadingProps) {
  const all = expected * EVENT_BYTES;
  const came = bytes.value;
  return (
    <div class="loading-events waiting" role="status">
      <p>
        Loading {count(expected)} events
        {came > 0 && `: ${megabytes(came)} of at most ${megabytes(all)} MB`}…
      </p>
      <progress max={Math.max(1, all)} value={came} aria-label="Events that have come" />
    </div>
  );
}

function megabytes(bytes: number): string {
  return decimal(bytes / 2 ** 20, 1);
}

/** What stands instead of the map of a catalogue without events. */
function NoEvents({ catalogue }: { readonly catalogue: Catalogue }) {
  const { id, status } = catalogue;
  const mayChange = useMayChange(catalogue);
  const title = "This catalogue has no events";
  if (status === "processing") {
    const text = "Its first version is being written. It is offered here as soon as it is there.";
    return <Empty title={title} text={text} />;
  }
  if (status === "error") {
    return (
      <Empty title={title} text="Nothing came into it: what was to fill it has failed.">
        {has("viewer") && (
          <Link class="button" href={`/catalogues/${id}/imports`}>
            See its imports
          </Link>
        )}
      </Empty>
    );
  }
  if (!mayChange) {
    return (
      <Empty title={title} text="As soon as an editor has added some, they are offered here." />
    );
  }
  return (
    <Empty title={title} text="Fill it from a file, from an agency, or by hand.">
      <Link class="button primary" href={`/upload?catalogueId=${id}`}>
        Upload a file
      </Link>
      <Link class="button" href={`/import?catalogueId=${id}`}>
        Import from an agency
      </Link>
      <Link class="button" href={`/catalogues/${id}/add-event`}>
        Add an event
      </Link>
    </Empty>
  );
}

import { call } from "../api/call.ts";
import { changesOfAccount, has } from "../api/session.ts";
import { Head } from "../features/catalogue/head.tsx";
import { VersionBar } from "../features/catalogue/version-bar.tsx";
import { EventCount } from "../features/work/event-count.tsx";
import { FilterBar } from "../features/work/filters/filter-bar.tsx";
import { useFilteredEvents } from "../features/work/filters/use-filtered-events.ts";
import { useFilters } from "../features/work/filters/use-filters.ts";
import { Loading } from "../features/work/loading.tsx";
import { NoEvents } from "../features/work/no-events.tsx";
import { Overview } from "../features/work/overview.tsx";
import { useEventCount } from "../features/work/use-event-count.ts";
import { useEvents } from "../features/work/use-events.ts";
import { WorkArea } from "../features/work/work-area.tsx";
import type { Catalogue } from "../model/catalogue.ts";
import type { EventColumns } from "../model/event-columns.ts";
import { SERVICE_FILTERS } from "../model/filters.ts";
import type { PageProps } from "../model/page-route.ts";
import type { WorkState } from "../model/work-state.ts";
import { ErrorNotice } from "../ui/call/error-notice.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { Waiting } from "../ui/call/waiting.tsx";
import { FailedPage, isGone } from "../ui/failed-page.tsx";
import { Late } from "../ui/late.tsx";
import { useWorkState } from "../ui/use-work-state.ts";

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

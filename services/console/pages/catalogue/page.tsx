import { useEffect } from "preact/hooks";
import { call } from "../../api/call.ts";
import type { EventColumns } from "../../api/columns.ts";
import type { AnswerOf } from "../../api/operation-types.ts";
import { changesOfAccount } from "../../api/session.ts";
import type { PageProps } from "../../routes.ts";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { useCall } from "../../ui/use-call.ts";
import { Waiting } from "../../ui/waiting.tsx";
import { FailedPage } from "../failed-page.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { Head } from "./head.tsx";
import { Loading } from "./loading.tsx";
import { NoEvents } from "./no-events.tsx";
import { Overview } from "./overview.tsx";
import { Shown } from "./shown.tsx";
import { SERVICE_FILTERS, type WorkState } from "./url-state.ts";
import { useEvents } from "./use-events.ts";
import { useFilters } from "./use-filters.ts";
import { useFound } from "./use-found.ts";
import { usePassed } from "./use-passed.ts";
import { useWorkState } from "./use-work-state.ts";
import { VersionBar } from "./version-bar.tsx";
import { WorkArea } from "./work-area.tsx";

export type Catalogue = AnswerOf<"GET /api/catalogues/:id">;

/** The work page of a catalogue: its events on a map, in a table and along time, linked. */
export function Page({ params: { id = "" } }: PageProps) {
  const { last, error, reload } = useCall<Catalogue>(`${id} ${changesOfAccount.value}`, (signal) =>
    call("GET /api/catalogues/:id", { params: { id } }, { signal }),
  );
  const catalogue = last?.id === id ? last : null;
  if (catalogue === null) {
    if (error.value === null) return <Waiting />;
    return <FailedPage title="Catalogue" error={error.value} retry={reload} />;
  }
  return (
    <>
      {error.value !== null && <ErrorNotice error={error.value} retry={reload} />}
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
  const passed = usePassed(columns, filters);
  const asked = { ...(asOf !== null && { asOf }), ...filters.all };
  const found = useFound(id, asked, events, passed);
  useEffect(() => {
    document.title = `${catalogue.name} · Earthquake catalogues`;
  }, [catalogue.name]);
  const seen = { ...state, filters: filters.all };
  const isOld = columns !== null && state.asOf !== null && columns.version !== catalogue.version;
  const area = { catalogue, state, change, filters };
  const head = (
    <>
      <Head catalogue={catalogue} state={seen} found={found} change={change} reload={reload} />
      {isOld && <VersionBar catalogue={catalogue} version={columns.version} change={change} />}
      {events.error !== null && <ErrorNotice error={events.error} retry={events.reload} />}
    </>
  );
  if (columns?.count === 0 && catalogue.event_count === 0) {
    return (
      <section class="page wide work">
        {head}
        <NoEvents catalogue={catalogue} />
      </section>
    );
  }
  return (
    <section class="page wide work">
      {head}
      <FilterBar state={state} moving={filters.moving} change={change} error={events.error}>
        {(areTooMany || columns) && (
          <Shown
            found={found}
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

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { EventColumns } from "../../api/columns.ts";
import { wantsLocalScale } from "../../map/classes.ts";
import { EventMap } from "../../map/event-map.tsx";
import type { Bounds } from "../../map/fit.ts";
import type { MapView } from "../../map/live-map.ts";
import { TimeLine } from "../../plots/time-line.tsx";
import { EventTable } from "../../table/event-table.tsx";
import { addressOfEvent } from "../event/address-of-event.ts";
import { FilterBar } from "./filter-bar.tsx";
import { passing } from "./local-filter.ts";
import { MapControls } from "./map-controls.tsx";
import type { Catalogue } from "./page.tsx";
import { Shown } from "./shown.tsx";
import type { WorkState } from "./url-state.ts";
import type { Change } from "./use-work-state.ts";

type WorkAreaProps = {
  readonly catalogue: Catalogue;
  readonly columns: EventColumns;
  readonly state: WorkState;
  readonly change: Change;
};

/** Map, table and time line of the events that pass the filters; what is chosen in one is in all. */
export function WorkArea({ catalogue, columns, state, change }: WorkAreaProps) {
  const [, navigate] = useLocation();
  const firstChosen = useMemo(() => indexOf(columns, state.event), []);
  const selected = useSignal<number | null>(firstChosen);
  const view = useSignal<MapView | null>(state.map);
  const bounds = useSignal<Bounds | null>(null);
  const inMap = state.inMap ? bounds.value : null;
  const { filters } = state;
  const filterKey = JSON.stringify(filters);
  const shown = useMemo(() => passing(columns, filters, null), [columns, filterKey]);
  const listed = useMemo(
    () => (inMap ? passing(columns, filters, inMap) : shown),
    [columns, filterKey, shown, inMap],
  );
  const scale = useMemo(
    () => state.scale ?? (wantsLocalScale(columns.depth) ? "local" : "global"),
    [columns, state.scale],
  );
  useChosenInAddress(columns, state, change, selected);
  const first = useRef(true);
  const moved = (now: Bounds) => {
    bounds.value = now;
    // The first view is made by fitting; it is nobody's choice.
    if (first.current) first.current = false;
    else change({ map: view.value }, "replace");
  };
  const open = (index: number) =>
    navigate(addressOfEvent(catalogue.id, columns.idOf(index), state.asOf ?? undefined));
  return (
    <>
      <FilterBar state={state} change={change}>
        <Shown
          catalogue={catalogue}
          columns={columns}
          shown={listed}
          state={state}
          change={change}
        />
      </FilterBar>
      <div class="work-area">
        <div class="work-map">
          <EventMap
            columns={columns}
            shown={shown}
            selected={selected}
            view={view}
            colours={{ by: state.colour, scale }}
            onBounds={moved}
          >
            <MapControls state={state} scale={scale} change={change} />
          </EventMap>
        </div>
        <EventTable
          columns={columns}
          shown={listed}
          selected={selected}
          sort={state.sort}
          order={state.order}
          onSort={(sort, order) => change({ sort, order })}
          onOpen={open}
        />
      </div>
      <TimeLine
        columns={columns}
        shown={listed}
        from={filters.startTime ?? null}
        to={filters.endTime ?? null}
        onRange={(range, isDragging) => {
          const { startTime: _start, endTime: _end, ...others } = filters;
          const next = range ? { ...others, startTime: range[0], endTime: range[1] } : others;
          change({ filters: next }, isDragging ? "replace" : "push");
        }}
      />
    </>
  );
}

/** Keeps the chosen event's id in the address, and chooses the one that is there. */
function useChosenInAddress(
  columns: EventColumns,
  state: WorkState,
  change: Change,
  selected: { value: number | null },
): void {
  const chosen = selected.value;
  // What this page itself wrote comes back later, when something else may be chosen already.
  const written = useRef(state.event);
  useEffect(() => {
    const id = chosen === null ? null : columns.idOf(chosen);
    if (id === written.current) return;
    written.current = id;
    change({ event: id }, "replace");
  }, [chosen]);
  useEffect(() => {
    if (state.event === written.current) return;
    written.current = state.event;
    selected.value = indexOf(columns, state.event);
  }, [state.event]);
  // Other columns have the same event elsewhere, or not at all.
  useEffect(() => {
    selected.value = indexOf(columns, written.current);
  }, [columns]);
}

function indexOf(columns: EventColumns, id: string | null): number | null {
  if (id === null) return null;
  for (let i = 0; i < columns.count; i++) if (columns.idOf(i) === id) return i;
  return null;
}

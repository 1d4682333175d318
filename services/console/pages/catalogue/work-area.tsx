import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { EventColumns } from "../../api/columns.ts";
import { classesOf, wantsLocalScale } from "../../map/classes.ts";
import { EventMap } from "../../map/event-map.tsx";
import type { MapView } from "../../map/live-map.ts";
import { TimeLine } from "../../plots/time-line.tsx";
import { addressOfEvent } from "../event/address-of-event.ts";
import { FilterBar } from "./filter-bar.tsx";
import { passing } from "./local-filter.ts";
import { MapControls } from "./map-controls.tsx";
import type { Catalogue } from "./page.tsx";
import { Shown } from "./shown.tsx";
import { SidePanel } from "./side-panel.tsx";
import { SERVICE_FILTERS, type WorkState } from "./url-state.ts";
import { useChosenEvent } from "./use-chosen-event.ts";
import { type SeenFilters, type TimeRange, withRange } from "./use-filters.ts";
import type { Change } from "./use-work-state.ts";

type WorkAreaProps = {
  readonly catalogue: Catalogue;
  readonly columns: EventColumns;
  /** Whether other events are on their way. */
  readonly isWaiting: boolean;
  readonly state: WorkState;
  readonly filters: SeenFilters;
  readonly change: Change;
};

/** Map, table, plots and time line of the events that pass the filters; what is chosen in one is in all. */
export function WorkArea(props: WorkAreaProps) {
  const { catalogue, columns, isWaiting, state, filters, change } = props;
  const [, navigate] = useLocation();
  const selected = useChosenEvent(columns, state.event, change);
  const view = useViewInAddress(state, change);
  const shown = useMemo(() => passing(columns, filters.given), [columns, filters.given]);
  const listed = useMemo(
    () => (filters.all === filters.given ? shown : passing(columns, filters.all)),
    [columns, filters.given, filters.all, shown],
  );
  const scale = useMemo(
    () => state.scale ?? (wantsLocalScale(columns.depth) ? "local" : "global"),
    [columns, state.scale],
  );
  const classes = useMemo(
    () => classesOf(columns, state.colour, scale, Date.now()),
    [columns, state.colour, scale],
  );
  const isWhole =
    columns.version === catalogue.version || !SERVICE_FILTERS.some((name) => state.filters[name]);
  const all = columns.version === catalogue.version ? catalogue.event_count : columns.count;
  const { moving } = filters;
  const move = (range: TimeRange, how: "moving" | "chosen" | "stepped") => {
    moving.value = how === "moving" ? range : undefined;
    if (how === "moving") return;
    const next = (now: WorkState) => ({ filters: withRange(now.filters, range) });
    change(next, how === "chosen" ? "push" : "replace");
  };
  return (
    <>
      <FilterBar state={state} moving={moving} change={change}>
        <Shown
          found={listed ? listed.length : columns.count}
          all={isWhole ? all : null}
          state={{ ...state, filters: filters.given }}
          change={change}
          isMoving={moving.value !== undefined}
        />
      </FilterBar>
      <div class={isWaiting ? "work-area stale" : "work-area"} aria-busy={isWaiting}>
        <div class="work-map">
          <EventMap
            columns={columns}
            shown={shown}
            selected={selected}
            view={view.shown}
            colours={classes}
            onBounds={(bounds) => {
              filters.bounds.value = bounds;
              view.moved();
            }}
          >
            <MapControls state={state} scale={scale} change={change} />
          </EventMap>
        </div>
        <SidePanel
          catalogue={catalogue}
          columns={columns}
          shown={listed}
          classes={classes}
          selected={selected}
          state={state}
          filters={filters.all}
          change={change}
          onOpen={(index) =>
            navigate(addressOfEvent(catalogue.id, columns.idOf(index), state.asOf ?? undefined))
          }
        />
      </div>
      <TimeLine
        columns={columns}
        shown={listed}
        from={filters.given.startTime ?? null}
        to={filters.given.endTime ?? null}
        onRange={move}
        onCancel={() => {
          moving.value = undefined;
        }}
      />
    </>
  );
}

/** What the map shows, kept in the address; Back and Forward move the map. */
function useViewInAddress(state: WorkState, change: Change) {
  const shown = useSignal<MapView | null>(state.map);
  // What this page itself wrote comes back later, when the map may be elsewhere already.
  const written = useRef(JSON.stringify(state.map));
  const key = JSON.stringify(state.map);
  useEffect(() => {
    if (key === written.current) return;
    written.current = key;
    if (state.map) shown.value = state.map;
  }, [key]);
  const isFirst = useRef(true);
  const moved = () => {
    const now = JSON.stringify(shown.value);
    // The first view is made by fitting; it is nobody's choice.
    if (isFirst.current) isFirst.current = false;
    else if (now !== written.current) {
      written.current = now;
      change({ map: shown.value }, "replace");
    }
  };
  return { shown, moved };
}

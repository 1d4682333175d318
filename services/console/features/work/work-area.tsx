import { useMemo } from "preact/hooks";
import { classesOf, wantsLocalScale } from "../../drawing/classes.ts";
import { EventMap } from "../../map/event-map.tsx";
import { addressOfEvent } from "../../model/address-of-event.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import type { EventColumns } from "../../model/event-columns.ts";
import type { WorkState } from "../../model/work-state.ts";
import type { Moved } from "../../plots/moved.ts";
import { TimeLine } from "../../plots/time-line.tsx";
import type { Change } from "../../ui/use-work-state.ts";
import { MapControls } from "./map-controls.tsx";
import { between, nothingAlong } from "./selections.ts";
import { SidePanel } from "./side-panel.tsx";
import { useChosenEvent } from "./use-chosen-event.ts";
import type { FilteredEvents } from "./use-filtered-events.ts";
import { type SeenFilters, type Selection, withSelection } from "./use-filters.ts";
import { useMapView } from "./use-map-view.ts";

type WorkAreaProps = FilteredEvents & {
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
  const { catalogue, columns, indexes, listed, isWaiting, state, filters, change } = props;
  const selected = useChosenEvent(columns, state.event, change);
  const { view, moved } = useMapView(state, filters, change);
  const scale = useMemo(
    () => state.scale ?? (wantsLocalScale(columns.depth) ? "local" : "global"),
    [columns, state.scale],
  );
  const classes = useMemo(
    () => classesOf(columns, state.colour, scale, Date.now()),
    [columns, state.colour, scale],
  );
  const { moving } = filters;
  const select = (selection: Selection, how: Moved) => {
    moving.value = how === "moving" ? selection : undefined;
    if (how === "moving") return;
    const next = (now: WorkState) => ({ filters: withSelection(now.filters, selection) });
    change(next, how === "chosen" ? "push" : "replace");
  };
  const stopSelecting = () => {
    moving.value = undefined;
  };
  return (
    <>
      <div class={isWaiting ? "work-area stale" : "work-area"} aria-busy={isWaiting}>
        <div class="work-map">
          <EventMap
            columns={columns}
            indexes={indexes}
            selected={selected}
            view={view}
            colours={classes}
            onMoved={moved}
          >
            <MapControls state={state} scale={scale} change={change} />
          </EventMap>
        </div>
        <SidePanel
          catalogue={catalogue}
          columns={columns}
          indexes={listed}
          classes={classes}
          selected={selected}
          state={state}
          filters={filters.all}
          change={change}
          select={select}
          stopSelecting={stopSelecting}
          addressOf={(index) =>
            addressOfEvent(catalogue.id, columns.idOf(index), state.asOf ?? undefined)
          }
        />
      </div>
      <TimeLine
        columns={columns}
        indexes={listed}
        from={filters.outsideMap.startTime ?? null}
        to={filters.outsideMap.endTime ?? null}
        onRange={(range, how) =>
          select(range === null ? nothingAlong("time") : between("time", range[0], range[1]), how)
        }
        onCancel={stopSelecting}
      />
    </>
  );
}

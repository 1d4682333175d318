import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { classesOf, wantsLocalScale } from "../../drawing/classes.ts";
import { EventMap } from "../../map/event-map.tsx";
import type { Shape } from "../../map/shapes.ts";
import { addressOfEvent } from "../../model/address-of-event.ts";
import { type Bounds, boundsOfBbox } from "../../model/bounds.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import type { EventColumns } from "../../model/event-columns.ts";
import type { WorkState } from "../../model/work-state.ts";
import { TimeLine } from "../../plots/time-line.tsx";
import type { Moved } from "../../plots/use-brush.ts";
import type { Change } from "../../ui/use-work-state.ts";
import { areaOf, lineOf, shapesOf, withoutShape, withShape } from "./filters/drawn-filters.ts";
import { between, nothingAlong } from "./filters/selections.ts";
import type { FilteredEvents } from "./filters/use-filtered-events.ts";
import { type SeenFilters, type Selection, withSelection } from "./filters/use-filters.ts";
import { MapControls } from "./map-controls.tsx";
import { NothingPasses } from "./nothing-passes.tsx";
import { saveAsRegion } from "./save-as-region.tsx";
import { SidePanel } from "./side-panel.tsx";
import { useChosenEvent } from "./use-chosen-event.ts";
import { useDrawnRegion } from "./use-drawn-region.ts";
import { useErrorEllipse } from "./use-error-ellipse.ts";
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
  const addressOf = (index: number) =>
    addressOfEvent(catalogue.id, columns.idOf(index), state.asOf ?? undefined);
  const [, navigate] = useLocation();
  const open = (index: number) => navigate(addressOf(index));
  const pointed = useSignal<number | null>(null);
  const ellipse = useErrorEllipse(catalogue.id, columns, pointed.value ?? selected.value);
  const region = useDrawnRegion(state.filters.region);
  const shapes = useMemo(
    () => shapesOf(state.filters, state.line, region),
    [JSON.stringify([state.filters, state.line]), region],
  );
  const isEmpty = (listed ? listed.length : columns.count) === 0;
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
            area={areaOf(state.filters, region) ?? boundsOfCatalogue(catalogue)}
            shapes={shapes}
            {...drawnBy(change)}
            actionOn={saveAsRegion}
            ellipse={ellipse}
            onPointed={(event) => (pointed.value = event)}
            onOpened={open}
            onMoved={moved}
          >
            <MapControls state={state} scale={scale} change={change} />
          </EventMap>
          {isEmpty && !isWaiting && <NothingPasses state={state} change={change} />}
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
          addressOf={addressOf}
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

/** What is drawn on the map by hand becomes filters, and the line of the depth section. */
function drawnBy(change: Change) {
  return {
    onShape: (shape: Shape) =>
      shape.kind === "section"
        ? change({ line: lineOf(shape), tab: "section" })
        : change((now) => ({ filters: withShape(now.filters, shape) })),
    onRemoved: (shape: Shape) =>
      shape.kind === "section"
        ? change({ line: null })
        : change((now) => ({ filters: withoutShape(now.filters, shape) })),
  };
}

/** Where the catalogue's events are; null where it has none. */
function boundsOfCatalogue({ bbox }: Catalogue): Bounds | null {
  return bbox === null ? null : boundsOfBbox(bbox);
}

import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { areaOfGeometry, wktOf } from "#contracts/geometry/shape.ts";
import { FILTERS, type FilterName } from "#contracts/query/filters.ts";
import { has } from "../../api/session.ts";
import { COLOUR_BY, classesOf, wantsLocalScale } from "../../drawing/classes.ts";
import { EventMap } from "../../map/event-map.tsx";
import type { Line } from "../../map/layers.ts";
import type { Shape } from "../../map/shapes.ts";
import { type Bounds, boundsOfBbox } from "../../model/bounds.ts";
import type { EventColumns } from "../../model/event-columns.ts";
import type { Catalogue } from "../../model/operation-types.ts";
import { addressOfEvent } from "../../model/page-route.ts";
import type { FilterValues, WorkState } from "../../model/work-state.ts";
import { TimeLine } from "../../plots/time-line.tsx";
import type { Moved } from "../../plots/use-brush.ts";
import { useSettled } from "../../ui/call/timers.ts";
import { useCall } from "../../ui/call/use-call.ts";
import { useSavedRegion } from "../../ui/call/use-saved-regions.ts";
import { Select } from "../../ui/form/inputs.tsx";
import { filterWords } from "../../ui/text/filter-words.ts";
import type { Change } from "../../ui/use-work-state.ts";
import type { FilteredEvents } from "./filters/local-filter.ts";
import {
  areaOf,
  between,
  type DrawnRegion,
  lineOf,
  nothingAlong,
  shapesOf,
  withoutShape,
  withShape,
} from "./filters/selections.ts";
import { type SeenFilters, type Selection, withSelection } from "./filters/use-filters.ts";
import { useMapView } from "./overview.tsx";
import { SidePanel } from "./side-panel.tsx";

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

/** Leads on from a polygon that filters to a region of it. */
function saveAsRegion(shape: Shape) {
  if (shape.kind !== "polygon" || !has("editor")) return null;
  return (
    <Link href={`/regions/new?polygon=${encodeURIComponent(wktOf(shape.area))}`}>
      Save as region…
    </Link>
  );
}

/** The saved region of the filters; null without one, before it has come, and for guests, who may not see it. */
function useDrawnRegion(id: string | undefined): DrawnRegion | null {
  const region = useSavedRegion(id ?? null);
  return useMemo(
    () =>
      region && {
        area: areaOfGeometry(region.geometry),
        name: region.name,
        bounds: boundsOfBbox(region.bbox),
      },
    [region],
  );
}

const NOTHING: readonly Line[] = [];

/**
 * The outline of where an event may lie, as its preferred origin tells it; nothing where it does not.
 * @param event its index, once the pointer has rested on it; null for none
 */
function useErrorEllipse(
  catalogueId: string,
  columns: EventColumns,
  event: number | null,
): readonly Line[] {
  const settled = useSettled(event);
  const eventId = settled === null ? null : columns.idOf(settled);
  const asOf = String(columns.version);
  const { answer } = useCall(`${catalogueId} ${eventId} ${asOf}`, async (signal) => {
    if (eventId === null) return null;
    // Its scripts are none of the first page's: they come with the first event that is pointed at.
    const { outlineOfEvent } = await import("./ellipse-outline.ts");
    return outlineOfEvent({ id: catalogueId, eventId }, asOf, signal);
  });
  return useMemo(
    () => (settled === null || event !== settled || !answer ? NOTHING : [answer]),
    [answer, settled, event],
  );
}

/** The chosen event's index, kept in step with its id in the address. */
function useChosenEvent(
  columns: EventColumns,
  wanted: string | null,
  change: Change,
): Signal<number | null> {
  const first = useMemo(() => columns.indexOf(wanted), []);
  const selected = useSignal<number | null>(first);
  const chosen = selected.value;
  // What this page itself wrote comes back later, when something else may be chosen already.
  const written = useRef(wanted);
  useEffect(() => {
    const id = chosen === null ? null : columns.idOf(chosen);
    if (id === written.current) return;
    // The first choice can be taken back; walking on from it leaves no trail.
    const how = written.current === null ? "push" : "replace";
    written.current = id;
    change({ event: id }, how);
  }, [chosen]);
  useEffect(() => {
    if (wanted === written.current) return;
    written.current = wanted;
    selected.value = columns.indexOf(wanted);
  }, [wanted]);
  // Other columns have the same event elsewhere, or not at all.
  useEffect(() => {
    selected.value = columns.indexOf(written.current);
  }, [columns]);
  return selected;
}

type MapControlsProps = {
  readonly state: WorkState;
  readonly scale: "global" | "local";
  readonly change: Change;
};

const NAMES = {
  depth: "Depth, km",
  age: "Age",
  magnitude: "Magnitude",
  quality: "Azimuthal gap, °",
};

/** What the discs' colours mean. */
function MapControls({ state, scale, change }: MapControlsProps) {
  return (
    <div class="map-controls">
      <Select
        label="Colour by"
        hasHiddenLabel
        value={state.colour}
        options={COLOUR_BY.map((value) => ({ value, text: NAMES[value] }))}
        onValue={(colour) => change({ colour })}
      />
      {state.colour === "depth" && (
        <Select
          label="Classes"
          hasHiddenLabel
          value={scale}
          options={[
            { value: "global", text: "usual classes" },
            { value: "local", text: "fitted classes" },
          ]}
          onValue={(chosen) => change({ scale: chosen })}
        />
      )}
    </div>
  );
}

/** Parameters that say one thing together. */
const GROUPS = FILTERS.map(({ parameters }) => Object.keys(parameters) as FilterName[]);

type NothingPassesProps = { readonly state: WorkState; readonly change: Change };

/** Stands on the map where no event passes the filters, each of which can be taken away. */
function NothingPasses({ state, change }: NothingPassesProps) {
  const set = GROUPS.map((names) => ({ names, words: wordsOf(state.filters, names) }));
  return (
    <div class="nothing-passes" role="status">
      <h2>No event passes the filters</h2>
      <p class="row">
        {state.inMap && (
          <button type="button" onClick={() => change({ inMap: false })}>
            Look outside the map too
          </button>
        )}
        {set.map(
          ({ names, words }) =>
            words && (
              <button
                key={words}
                type="button"
                title="Take this filter away"
                onClick={() => change((now) => ({ filters: without(now.filters, names) }))}
              >
                Without {words}
              </button>
            ),
        )}
        <button type="button" class="primary" onClick={() => change({ filters: {}, inMap: false })}>
          Show all events
        </button>
      </p>
    </div>
  );
}

function wordsOf(filters: FilterValues, names: readonly FilterName[]): string {
  return filterWords(Object.fromEntries(names.map((name) => [name, filters[name] ?? null]))).join(
    ", ",
  );
}

function without(filters: FilterValues, names: readonly FilterName[]): FilterValues {
  const left = Object.entries(filters).filter(([name]) => !names.includes(name as FilterName));
  return Object.fromEntries(left);
}

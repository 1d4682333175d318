import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { areaOfGeometry, wktOf } from "#contracts/geometry/shape.ts";
import { FILTERS, type FilterName } from "#contracts/query/filters.ts";
import { has } from "../../api/session.ts";
import { EventMap } from "../../map/event-map.tsx";
import type { Line } from "../../map/layers.ts";
import type { Shape } from "../../map/shapes.ts";
import { boundsOfBbox } from "../../model/bounds.ts";
import { type EventColumns, locatedAt, timeAt } from "../../model/event-columns.ts";
import { COLOUR_BY, type PanelTab, searchOf } from "../../model/work-state.ts";
import { TimeLine } from "../../plots/time-line.tsx";
import { ErrorNotice, useCall, Waiting } from "../../ui/call.tsx";
import { Select } from "../../ui/form/fields.tsx";
import { Button } from "../../ui/page.tsx";
import { useSavedRegion } from "../../ui/saved-regions.tsx";
import { filterWords } from "../../ui/text/filter-words.ts";
import { count, counted, given, magnitudeName } from "../../ui/text/format.ts";
import { When } from "../../ui/text/moment.tsx";
import { useRegion } from "../../ui/text/where.tsx";
import { useSettled } from "../../ui/timers.ts";
import { EventTable } from "./event-table.tsx";
import {
  areaOf,
  between,
  lineOf,
  nothingAlong,
  shapesOf,
  withoutNames,
  withoutShape,
  withShape,
} from "./filters/filters.ts";
import { type PlotsProps, type Shown, useMapView, useShown, type Work } from "./work.ts";

type WorkAreaProps = { readonly work: Work; readonly columns: EventColumns };

/** Map, table, plots and time line of the events that pass the filters; what is chosen in one is in all. */
export function WorkArea({ work, columns }: WorkAreaProps) {
  const shown = useShown(work, columns);
  const { catalogue, state, change, onMap, indexes, isWaiting, outsideMap } = shown;
  const { select, stopSelecting } = shown;
  const pointed = useSignal<number | null>(null);
  const ellipse = useErrorEllipse(shown, pointed.value ?? shown.selected.value);
  const saved = useSavedRegion(state.filters.region ?? null);
  const region = useMemo(
    () =>
      saved && {
        area: areaOfGeometry(saved.geometry),
        name: saved.name,
        bounds: boundsOfBbox(saved.bbox),
      },
    [saved],
  );
  const shapes = useMemo(
    () => shapesOf(state.filters, state.line, region),
    [JSON.stringify([state.filters, state.line]), region],
  );
  const isEmpty = (indexes ? indexes.length : columns.count) === 0;
  return (
    <>
      <div class={isWaiting ? "work-area stale" : "work-area"} aria-busy={isWaiting}>
        <div class="work-map">
          <EventMap
            columns={columns}
            isPart={work.isPart}
            indexes={onMap}
            selected={shown.selected}
            colours={shown.classes}
            area={areaOf(state.filters, region) ?? (catalogue.bbox && boundsOfBbox(catalogue.bbox))}
            shapes={shapes}
            onShape={(shape) =>
              shape.kind === "section"
                ? change({ line: lineOf(shape), tab: "section" })
                : change((now) => ({ filters: withShape(now.filters, shape) }))
            }
            onRemoved={(shape) =>
              shape.kind === "section"
                ? change({ line: null })
                : change((now) => ({ filters: withoutShape(now.filters, shape) }))
            }
            actionOn={saveAsRegion}
            ellipse={ellipse}
            onPointed={(event) => (pointed.value = event)}
            onOpened={shown.onOpen}
            {...useMapView(work)}
          >
            <MapControls {...shown} />
          </EventMap>
          {isEmpty && !isWaiting && <NothingPasses {...shown} />}
        </div>
        <SidePanel {...shown} />
      </div>
      <TimeLine
        columns={columns}
        indexes={indexes}
        from={outsideMap.startTime ?? null}
        to={outsideMap.endTime ?? null}
        onRange={(range, how) =>
          select(range === null ? nothingAlong("time") : between("time", range[0], range[1]), how)
        }
        onCancel={stopSelecting}
      />
    </>
  );
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

const NOTHING: readonly Line[] = [];

/**
 * The outline of where an event may lie, as its preferred origin tells it; nothing where it does not.
 * @param event its index, once the pointer has rested on it; null for none
 */
function useErrorEllipse({ catalogue, columns }: Shown, event: number | null): readonly Line[] {
  const settled = useSettled(event);
  const eventId = settled === null ? null : columns.idOf(settled);
  const asOf = String(columns.version);
  const { answer } = useCall(`${catalogue.id} ${eventId} ${asOf}`, async (signal) => {
    if (eventId === null) return null;
    // Its scripts are none of the first page's: they come with the first event that is pointed at.
    const { outlineOfEvent } = await import("../../api/located-event.ts");
    return outlineOfEvent({ id: catalogue.id, eventId }, asOf, signal);
  });
  return useMemo(
    () => (settled === null || event !== settled || !answer ? NOTHING : [answer]),
    [answer, settled, event],
  );
}

const NAMES = {
  depth: "Depth, km",
  age: "Age",
  magnitude: "Magnitude",
  quality: "Azimuthal gap, °",
};

function MapControls({ state, scale, change }: Shown) {
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

/** Stands on the map where no event passes the filters, each of which can be taken away. */
function NothingPasses({ state: { filters, inMap }, change }: Shown) {
  const set = GROUPS.flatMap((names) => {
    const own = Object.fromEntries(names.map((name) => [name, filters[name] ?? null]));
    const words = filterWords(own).join(", ");
    return words ? [{ names, words }] : [];
  });
  return (
    <div class="nothing-passes" role="status">
      <h2>No event passes the filters</h2>
      <p class="row">
        {inMap && (
          <Button onClick={() => change({ inMap: false })} text="Look outside the map too" />
        )}
        {set.map(({ names, words }) => (
          <button
            key={words}
            type="button"
            title="Take this filter away"
            onClick={() => change((now) => ({ filters: withoutNames(now.filters, names) }))}
          >
            Without {words}
          </button>
        ))}
        <Button
          class="primary"
          onClick={() => change({ filters: {}, inMap: false })}
          text="Show all events"
        />
      </p>
    </div>
  );
}

const TABS: readonly (readonly [tab: PanelTab, text: string])[] = [
  ["table", "Table"],
  ["magnitudes", "Magnitudes"],
  ["time", "Time"],
  ["section", "Depth section"],
  ["quality", "Quality"],
];

/** Beside the map: the events as a table, or one of the plots of the same events. */
function SidePanel(shown: Shown) {
  const { state, columns, isInView } = shown;
  const [path] = useLocation();
  return (
    <div class="side-panel">
      <nav class="tabs" aria-label="Beside the map">
        {TABS.map(([tab, text]) => (
          <Link
            key={tab}
            href={path + searchOf({ ...state, tab })}
            aria-current={tab === state.tab ? "page" : undefined}
          >
            {text}
          </Link>
        ))}
      </nav>
      {columns.total !== undefined && (
        <p class="hint">
          The {count(columns.count)} largest of {counted(columns.total, "event")}
          {isInView && " in view"}. Zoom in to see the others.
        </p>
      )}
      {state.tab === "table" ? <EventTable {...shown} /> : <LatePlots {...shown} tab={state.tab} />}
      <ChosenEvent {...shown} />
    </div>
  );
}

/** The plots' code is loaded when the first is looked at. */
function LatePlots(props: PlotsProps) {
  const { answer, error } = useCall("plots", () => import("./plots.tsx"));
  if (error !== null) return <ErrorNotice error={error} />;
  return answer ? <answer.Plots {...props} /> : <Waiting />;
}

/** The chosen event, and the way to its page. */
function ChosenEvent({ columns, selected, addressOf }: Shown) {
  const event = selected.value;
  const where = useRegion(event === null ? null : locatedAt(columns, event));
  if (event === null) return null;
  return (
    <div class="chosen-event" role="status">
      <span>
        <strong>{magnitudeName(columns.magnitude[event], null)[0]}</strong>
        {where !== null && ` · ${where}`} · {given(columns.depth[event], "depth")} km deep ·{" "}
        <When at={timeAt(columns, event)} length={19} />
      </span>
      <Link class="end nowrap" href={addressOf(event)}>
        Open the event
      </Link>
      <Button
        class="plain sign"
        aria-label="Choose no event"
        onClick={() => (selected.value = null)}
        text="×"
      />
    </div>
  );
}

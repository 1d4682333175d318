import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { type Classes, type ColourBy, type ColourScale, classesOf } from "../drawing/classes.ts";
import { type Bounds, boundsOf, bulkOf, isIn, type MapView } from "../model/bounds.ts";
import { type EventColumns, locatedAt, timeAt } from "../model/event-columns.ts";
import { theme } from "../ui/style/theme.ts";
import { given, magnitudeName } from "../ui/text/digits.ts";
import { ago, events, latitude, longitude, time } from "../ui/text/format.ts";
import { localTime } from "../ui/text/moment.tsx";
import { useRegion } from "../ui/text/where.tsx";
import type { Drawn, Line } from "./layers.ts";
import { Legend } from "./legend.tsx";
import { type LiveMap, type Pointed, useLiveMap, useViewOf } from "./live-map.tsx";
import type { Shape } from "./shapes.ts";
import { ToolBar, useTools, useToolsOn } from "./tool-bar.tsx";

type EventMapProps = {
  readonly columns: EventColumns;
  /** Indexes of the events that pass the filters, ascending; all without it. */
  readonly indexes?: Uint32Array | null;
  /** The chosen event's index. */
  readonly selected: Signal<number | null>;
  /** What the map shows; fitted to the events where it is null first. */
  readonly view?: Signal<MapView | null>;
  /** What it shows where there are no events. */
  readonly area?: Bounds | null;
  /** Classes of the events, or what to make them of. */
  readonly colours: Classes | { readonly by: ColourBy; readonly scale: ColourScale };
  /** Between events that belong together. */
  readonly lines?: readonly Line[];
  /** Told of the event under the pointer; what it draws of it. */
  readonly onPointed?: (event: number | null) => void;
  readonly onOpened?: (event: number) => void;
  /** How well an event's place is known. */
  readonly ellipse?: readonly Line[];
  /** What was drawn by hand and stays; without it there are no tools. */
  readonly shapes?: readonly Shape[];
  readonly onShape?: (shape: Shape) => void;
  readonly onRemoved?: (shape: Shape) => void;
  /** What else can be done with such a shape. */
  readonly actionOn?: (shape: Shape) => ComponentChildren;
  /** Told after each move. */
  readonly onMoved?: (view: MapView, bounds: Bounds) => void;
  /** Stands in the legend as the title of the colours: what chooses them. */
  readonly children?: ComponentChildren;
};

const NO_LINES: readonly Line[] = [];

/** The events of a catalogue on a map. */
export function EventMap(props: EventMapProps) {
  const { columns, indexes = null, selected, colours, lines = NO_LINES, children } = props;
  const ownView = useSignal<MapView | null>(null);
  const { view = ownView } = props;
  const drawn = useSignal<Drawn | null>(null);
  const pointed = useSignal<Pointed | null>(null);
  const isWhole = useSignal(true);
  const shown = useSignal<Bounds | null>(null);
  const whole = () => {
    isWhole.value = true;
    return wholeOf(props);
  };
  const start = (map: LiveMap) => {
    if (view.value) return map.setView(view.value);
    const all = wholeOf(props);
    const bulk = all && bulkOf(columns.latitude, columns.longitude, indexes, all);
    isWhole.value = bulk === null;
    map.fit(bulk ?? all);
  };
  const tools = useTools(props.onShape);
  const { live, surface } = useLiveMap({
    label: "Map of the events; arrows move it, + and − zoom, 0 shows all events",
    start,
    drawn: drawn.value ? (drawn.value.density ? "density" : "discs") : undefined,
    onDrawn: (now) => {
      drawn.value = now;
    },
    onPointed: (now) => {
      const isOther = now?.event !== pointed.value?.event;
      pointed.value = now;
      if (isOther) props.onPointed?.(now?.event ?? null);
    },
    onChosen: (event) => {
      selected.value = event;
    },
    onOpened: (event) => props.onOpened?.(event),
    ...tools.listeners,
    onMoved: (now, bounds) => {
      view.value = now;
      shown.value = bounds;
      props.onMoved?.(now, bounds);
    },
    whole,
  });
  const classes = useMemo(
    () =>
      "classOf" in colours ? colours : classesOf(columns, colours.by, colours.scale, Date.now()),
    [columns, "classOf" in colours ? colours : `${colours.by} ${colours.scale}`],
  );
  useEffect(() => {
    live.current?.setDrawing({ columns, indexes, classes, theme: theme.value });
  }, [columns, indexes, classes, theme.value]);
  useEffect(() => live.current?.setLines("map-line", lines), [lines]);
  const { ellipse = NO_LINES } = props;
  useEffect(() => live.current?.setLines("map-ellipse", ellipse), [ellipse]);
  const chosen = selected.value;
  useEffect(() => live.current?.choose(columns, chosen), [columns, chosen]);
  useToolsOn(live, tools, props.shapes);
  useViewOf(live, view);
  const { density = null, scale = 1 } = drawn.value ?? {};
  return (
    <div class="map-panel">
      <div class="map-frame">
        {surface}
        {props.shapes && (
          <ToolBar
            tools={tools}
            shapes={props.shapes}
            onRemoved={props.onRemoved}
            actionOn={props.actionOn}
          />
        )}
        {!isWhole.value && (
          <OutsideNote
            columns={columns}
            indexes={indexes}
            bounds={shown.value}
            onAll={() => live.current?.fit(whole())}
          />
        )}
        <Tip columns={columns} pointed={pointed.value} />
      </div>
      <Legend classes={classes} density={density} theme={theme.value} scale={scale}>
        {children}
      </Legend>
    </div>
  );
}

/** The box of what is shown; without events that of the area, or of all events. */
function wholeOf({ columns, indexes = null, area = null }: EventMapProps): Bounds | null {
  const { latitude, longitude } = columns;
  return boundsOf(latitude, longitude, indexes) ?? area ?? boundsOf(latitude, longitude, null);
}

type OutsideNoteProps = {
  readonly columns: EventColumns;
  /** Indexes of the events that are shown; null for all. */
  readonly indexes: Uint32Array | null;
  /** What the map shows. */
  readonly bounds: Bounds | null;
  readonly onAll: () => void;
};

/** How many events the map leaves out that was fitted to almost all of them. */
function OutsideNote({ columns, indexes, bounds, onAll }: OutsideNoteProps) {
  const outside = useMemo(
    () => (bounds ? countOutside(columns, indexes, bounds) : 0),
    [columns, indexes, bounds],
  );
  if (outside === 0) return null;
  return (
    <div class="map-outside map-chip">
      {events(outside)} outside the map
      <button type="button" class="plain" onClick={onAll}>
        Show all
      </button>
    </div>
  );
}

function countOutside(
  { latitude, longitude, count }: EventColumns,
  indexes: Uint32Array | null,
  box: Bounds,
): number {
  let outside = 0;
  for (let n = 0; n < (indexes ? indexes.length : count); n++) {
    const i = indexes ? (indexes[n] ?? 0) : n;
    if (!isIn(box, { latitude: latitude[i] ?? 0, longitude: longitude[i] ?? 0 })) outside++;
  }
  return outside;
}

type TipProps = { readonly columns: EventColumns; readonly pointed: Pointed | null };

/** The event under the pointer, beside it; the table has it for everybody else. */
function Tip({ columns, pointed }: TipProps) {
  const event = pointed?.event ?? null;
  const where = useRegion(event === null ? null : locatedAt(columns, event));
  if (pointed === null || event === null) return null;
  const at = timeAt(columns, event);
  const [name] = magnitudeName(columns.magnitude[event], null);
  return (
    <div class="map-tip" aria-hidden="true" ref={(element) => place(element, pointed)}>
      <strong>{name}</strong> · {given(columns.depth[event], "depth")} km deep
      {where !== null && <div>{where}</div>}
      <div>
        {time(at).slice(0, 19)} UTC ({ago(at)})
      </div>
      <div class="muted">{localTime(at)}</div>
      <div class="muted">
        {latitude(columns.latitude[event] ?? 0)} {longitude(columns.longitude[event] ?? 0)}
      </div>
    </div>
  );
}

/** From the pointer to the card, pixels. */
const BESIDE = 14;

/** Beside the pointer, on that side of it which has room. */
function place(element: HTMLElement | null, { x, y }: Pointed): void {
  const frame = element?.parentElement;
  if (!element || !frame) return;
  const { offsetWidth: width, offsetHeight: height } = element;
  const left = x + BESIDE + width > frame.clientWidth ? x - BESIDE - width : x + BESIDE;
  const top = y + BESIDE + height > frame.clientHeight ? y - BESIDE - height : y + BESIDE;
  element.style.transform = `translate(${Math.max(0, left)}px, ${Math.max(0, top)}px)`;
}

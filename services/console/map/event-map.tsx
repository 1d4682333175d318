import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { type Classes, type ColourBy, type ColourScale, classesOf } from "../drawing/classes.ts";
import { type Bounds, boundsOf, bulkOf, isIn } from "../model/bounds.ts";
import { type EventColumns, locatedAt, timeAt } from "../model/event-columns.ts";
import { Button } from "../ui/page.tsx";
import {
  ago,
  counted,
  given,
  latitude,
  longitude,
  magnitudeName,
  time,
} from "../ui/text/format.ts";
import { localTime } from "../ui/text/moment.tsx";
import { useRegion } from "../ui/text/where.tsx";
import { Legend } from "./legend.tsx";
import { type MapOptions, type Pointed, useLiveMap } from "./live-map.tsx";
import { linesOfShape, type Shape } from "./shapes.ts";
import { ToolBar } from "./tool-bar.tsx";

type EventMapProps = Pick<
  MapOptions,
  "view" | "lines" | "ellipse" | "onOpened" | "onMoved" | "onShape"
> & {
  readonly columns: EventColumns;
  /** Whether there are more events than these. */
  readonly isPart?: boolean;
  /** Indexes of the events that pass the filters, ascending; all without it. */
  readonly indexes?: Uint32Array | null;
  readonly selected: Signal<number | null>;
  /** What it shows where there are no events, or only a part of them. */
  readonly area?: Bounds | null;
  /** Classes of the events, or what to make them of. */
  readonly colours: Classes | { readonly by: ColourBy; readonly scale: ColourScale };
  readonly onPointed?: (event: number | null) => void;
  /** What was drawn by hand and stays; without it there are no tools. */
  readonly shapes?: readonly Shape[];
  readonly onRemoved?: (shape: Shape) => void;
  /** What else can be done with such a shape. */
  readonly actionOn?: (shape: Shape) => ComponentChildren;
  /** Stands in the legend as the title of the colours: what chooses them. */
  readonly children?: ComponentChildren;
};

const NO_SHAPES: readonly Shape[] = [];

export function EventMap(props: EventMapProps) {
  const { columns, indexes = null, colours, shapes = NO_SHAPES, children, ...others } = props;
  const isWhole = useSignal(true);
  const whole = () => {
    isWhole.value = true;
    return wholeOf(props);
  };
  const classes = useMemo(
    () =>
      "classOf" in colours ? colours : classesOf(columns, colours.by, colours.scale, Date.now()),
    [columns, "classOf" in colours ? colours : `${colours.by} ${colours.scale}`],
  );
  const { map, surface } = useLiveMap({
    ...others,
    label: "Map of the events; arrows move it, + and − zoom, 0 shows all events",
    drawing: useMemo(() => ({ columns, indexes, classes }), [columns, indexes, classes]),
    areas: useMemo(() => shapes.flatMap(linesOfShape), [shapes]),
    whole,
    start: () => {
      const all = wholeOf(props);
      const bulk = all && bulkOf(columns.latitude, columns.longitude, indexes, all);
      isWhole.value = bulk === null;
      return bulk ?? all;
    },
  });
  useSignalEffect(() => props.onPointed?.(map.pointed.value?.event ?? null));
  return (
    <div class="map-panel">
      <div class="map-frame">
        {surface}
        {props.shapes && <ToolBar map={map} {...props} shapes={shapes} />}
        {!isWhole.value && !props.isPart && (
          <OutsideNote
            columns={columns}
            indexes={indexes}
            bounds={map.bounds.value}
            onAll={() => map.fit(whole())}
          />
        )}
        <Tip columns={columns} pointed={map.pointed.value} />
      </div>
      <Legend classes={classes} drawn={map.drawn.value}>
        {children}
      </Legend>
    </div>
  );
}

/** The box of what is shown; without events, or with a part of them, that of the area, or of all events. */
function wholeOf(props: EventMapProps): Bounds | null {
  const { columns, isPart, indexes = null, area = null } = props;
  const { latitude, longitude } = columns;
  if (isPart && area) return area;
  return boundsOf(latitude, longitude, indexes) ?? area ?? boundsOf(latitude, longitude, null);
}

type OutsideNoteProps = Pick<EventMapProps, "columns"> & {
  readonly indexes: Uint32Array | null;
  readonly bounds: Bounds | null;
  readonly onAll: () => void;
};

/** How many events the map leaves out that was fitted to almost all of them. */
function OutsideNote({ columns, indexes, bounds, onAll }: OutsideNoteProps) {
  const outside = useMemo(() => {
    const { latitude, longitude, count } = columns;
    let left = 0;
    for (let n = 0; bounds && n < (indexes ? indexes.length : count); n++) {
      const i = indexes ? (indexes[n] ?? 0) : n;
      if (!isIn(bounds, { latitude: latitude[i] ?? 0, longitude: longitude[i] ?? 0 })) left++;
    }
    return left;
  }, [columns, indexes, bounds]);
  if (outside === 0) return null;
  return (
    <div class="map-outside map-chip">
      {counted(outside, "event")} outside the map
      <Button class="plain" onClick={onAll} text="Show all" />
    </div>
  );
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

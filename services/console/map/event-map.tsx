import type { Signal } from "@preact/signals";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { type Classes, type ColourBy, type ColourScale, classesOf } from "../drawing/classes.ts";
import { type Bounds, boundsOf } from "../model/bounds.ts";
import type { EventColumns } from "../model/event-columns.ts";
import type { MapView } from "../model/map-view.ts";
import { theme } from "../ui/theme.ts";
import type { Drawn } from "./event-layer.ts";
import { Legend } from "./legend.tsx";
import type { Line } from "./line-layer.ts";
import { Tip } from "./tip.tsx";
import { useLiveMap, useViewOf } from "./use-live-map.tsx";

type EventMapProps = {
  readonly columns: EventColumns;
  /** Indexes of the events that pass the filters, ascending; all without it. */
  readonly indexes?: Uint32Array | null;
  /** The chosen event's index. */
  readonly selected: Signal<number | null>;
  /** What the map shows; fitted to the events where it is null first. */
  readonly view?: Signal<MapView | null>;
  /** Classes of the events, or what to make them of. */
  readonly colours: Classes | { readonly by: ColourBy; readonly scale: ColourScale };
  /** Between events that belong together. */
  readonly lines?: readonly Line[];
  /** Told after each move. */
  readonly onMoved?: (view: MapView, bounds: Bounds) => void;
  /** Stands in the legend: what chooses the colours. */
  readonly children?: ComponentChildren;
};

/** The events of a catalogue on a map. */
export function EventMap(props: EventMapProps) {
  const { columns, indexes = null, selected, colours, lines, children } = props;
  const ownView = useSignal<MapView | null>(null);
  const { view = ownView } = props;
  const drawn = useSignal<Drawn | null>(null);
  const pointed = useSignal<number | null>(null);
  const whole = () => boundsOf(columns.latitude, columns.longitude, indexes);
  const { live, surface } = useLiveMap({
    label: "Map of the events; arrows move it, + and − zoom, 0 shows all events",
    start: (map) => (view.value ? map.setView(view.value) : map.fit(whole())),
    drawn: drawn.value ? (drawn.value.density ? "density" : "discs") : undefined,
    onDrawn: (now) => {
      drawn.value = now;
    },
    onPointed: (event) => {
      pointed.value = event;
    },
    onChosen: (event) => {
      selected.value = event;
    },
    onMoved: (now, bounds) => {
      view.value = now;
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
  useEffect(() => live.current?.setLines(lines ?? []), [lines]);
  const chosen = selected.value;
  useEffect(() => live.current?.choose(columns, chosen), [columns, chosen]);
  useViewOf(live, view);
  return (
    <div class="map-frame">
      {surface}
      <Legend classes={classes} density={drawn.value?.density ?? null} theme={theme.value}>
        {children}
      </Legend>
      <Tip columns={columns} event={pointed.value} />
    </div>
  );
}

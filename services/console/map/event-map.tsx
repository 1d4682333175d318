import type { Signal } from "@preact/signals";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useSettings } from "../api/settings.ts";
import { type Classes, type ColourBy, type ColourScale, classesOf } from "../drawing/classes.ts";
import { type Bounds, boundsOf } from "../model/bounds.ts";
import type { EventColumns } from "../model/event-columns.ts";
import { theme } from "../ui/theme.ts";
import type { Drawn } from "./event-layer.ts";
import { Legend } from "./legend.tsx";
import type { Line } from "./line-layer.ts";
import { LiveMap, type MapView } from "./live-map.ts";
import { Tip } from "./tip.tsx";

export type EventMapProps = {
  readonly columns: EventColumns;
  /** Indexes of the events that pass the filters, ascending; null for all. */
  readonly shown: Uint32Array | null;
  /** The chosen event's index. */
  readonly selected: Signal<number | null>;
  /** What the map shows; null until it has been fitted to the events. */
  readonly view: Signal<MapView | null>;
  /** Classes of the events, or what to make them of. */
  readonly colours: Classes | { readonly by: ColourBy; readonly scale: ColourScale };
  /** Between events that belong together. */
  readonly lines?: readonly Line[];
  /** Small maps begin with a folded legend. */
  readonly isLegendFolded?: boolean;
  /** Told after each move, with what is in view. */
  readonly onBounds?: (bounds: Bounds) => void;
  /** Stands in the legend: what chooses the colours. */
  readonly children?: ComponentChildren;
};

/** The events of a catalogue on a map. */
export function EventMap(props: EventMapProps) {
  const { columns, shown, selected, view, colours } = props;
  const tiles = useSettings()?.tiles ?? null;
  const element = useRef<HTMLDivElement>(null);
  const live = useRef<LiveMap | null>(null);
  const drawn = useSignal<Drawn | null>(null);
  const pointed = useSignal<number | null>(null);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    if (!element.current) return;
    const map = new LiveMap(element.current, {
      onDrawn: (now) => {
        drawn.value = now;
      },
      onPointed: (event) => {
        pointed.value = event;
      },
      onChosen: (event) => {
        latest.current.selected.value = event;
      },
      onMoved: (now, bounds) => {
        latest.current.view.value = now;
        latest.current.onBounds?.(bounds);
      },
      onFit: () => map.fit(boundsNow(latest.current)),
    });
    live.current = map;
    if (view.value) map.setView(view.value);
    else map.fit(boundsNow(latest.current));
    return () => {
      live.current = null;
      map.close();
    };
  }, []);

  useEffect(() => live.current?.setTiles(tiles), [tiles]);
  const classes = useMemo(
    () =>
      "classOf" in colours ? colours : classesOf(columns, colours.by, colours.scale, Date.now()),
    [columns, "classOf" in colours ? colours : `${colours.by} ${colours.scale}`],
  );
  useEffect(() => {
    live.current?.setDrawing({ columns, shown, classes, theme: theme.value });
  }, [columns, shown, classes, theme.value]);
  const { lines } = props;
  useEffect(() => live.current?.setLines(lines ?? []), [lines]);
  const chosen = selected.value;
  useEffect(() => {
    live.current?.choose(columns, chosen);
  }, [columns, chosen]);
  const wanted = view.value;
  useEffect(() => {
    if (wanted) live.current?.setView(wanted);
  }, [wanted]);

  return (
    <div class="map-frame">
      <section
        ref={element}
        class="map"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the map is moved by keys.
        tabIndex={0}
        aria-label="Map of the events; arrows move it, + and − zoom, 0 shows all events"
        data-drawn={drawn.value ? (drawn.value.density ? "density" : "discs") : undefined}
      />
      <Legend
        classes={classes}
        density={drawn.value?.density ?? null}
        theme={theme.value}
        isFolded={props.isLegendFolded ?? false}
      >
        {props.children}
      </Legend>
      <Tip columns={columns} event={pointed.value} />
    </div>
  );
}

function boundsNow({ columns, shown }: EventMapProps): Bounds | null {
  return boundsOf(columns.latitude, columns.longitude, shown);
}

import type { Signal } from "@preact/signals";
import type { JSX, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useSettings } from "../api/settings.ts";
import type { MapView } from "../model/map-view.ts";
import { LiveMap, type MapListeners } from "./live-map.ts";

type LiveMapOptions = MapListeners & {
  /** Said of the map to those who do not see it. */
  readonly label: string;
  /** Where the map is when it is mounted; the world otherwise. */
  readonly start: (map: LiveMap) => void;
  /** What is drawn on it; nothing yet without it. */
  readonly drawn?: string | undefined;
};

type MountedMap = {
  /** Null until the first rendering is there. */
  readonly live: RefObject<LiveMap | null>;
  readonly surface: JSX.Element;
};

/** Leaflet on an element of the page; it tells the listeners of the last rendering. */
export function useLiveMap(options: LiveMapOptions): MountedMap {
  const tiles = useSettings()?.tiles ?? null;
  const element = useRef<HTMLDivElement>(null);
  const live = useRef<LiveMap>(null);
  const latest = useRef(options);
  latest.current = options;
  useEffect(() => {
    if (!element.current) return;
    const map = new LiveMap(element.current, {
      onDrawn: (drawn) => latest.current.onDrawn?.(drawn),
      onPointed: (pointed) => latest.current.onPointed?.(pointed),
      onChosen: (event) => latest.current.onChosen?.(event),
      onOpened: (event) => latest.current.onOpened?.(event),
      onDrawing: (shape) => latest.current.onDrawing?.(shape),
      onShape: (shape) => latest.current.onShape?.(shape),
      onPutDown: () => latest.current.onPutDown?.(),
      onMoved: (view, bounds) => latest.current.onMoved?.(view, bounds),
      whole: () => latest.current.whole(),
    });
    live.current = map;
    options.start(map);
    return () => {
      live.current = null;
      map.close();
    };
  }, []);
  useEffect(() => live.current?.setTiles(tiles), [tiles]);
  const surface = (
    <section
      ref={element}
      class="map"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the map is moved by keys.
      tabIndex={0}
      aria-label={options.label}
      data-drawn={options.drawn}
    />
  );
  return { live, surface };
}

/** Moves the map to a view that comes from elsewhere, after all else that moves it. */
export function useViewOf(live: RefObject<LiveMap | null>, view: Signal<MapView | null>): void {
  const wanted = view.value;
  useEffect(() => {
    if (wanted) live.current?.setView(wanted);
  }, [wanted]);
}

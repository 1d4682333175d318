import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useSettings } from "../api/settings.ts";
import type { Bounds } from "../model/bounds.ts";
import { columnsOfEvents } from "../model/columns-of-events.ts";
import { theme } from "../ui/theme.ts";
import { outlineOf } from "./area-outline.ts";
import { LiveMap } from "./live-map.ts";

type AreaMapProps = {
  /** Its outline is drawn; null for none. */
  readonly area: Bounds | null;
  readonly onArea: (area: Bounds) => void;
};

const NOTHING = {
  columns: columnsOfEvents(0, []),
  shown: null,
  classes: { title: "", isLocal: false, classes: [], classOf: new Uint8Array() },
};

/** A map by which an area is chosen: it is moved until it shows the area. */
export function AreaMap({ area, onArea }: AreaMapProps) {
  const tiles = useSettings()?.tiles ?? null;
  const element = useRef<HTMLDivElement>(null);
  const live = useRef<LiveMap | null>(null);
  const seen = useSignal<Bounds | null>(null);
  useEffect(() => {
    if (!element.current) return;
    const map = new LiveMap(element.current, {
      onDrawn: () => undefined,
      onPointed: () => undefined,
      onChosen: () => undefined,
      onMoved: (_view, bounds) => {
        seen.value = bounds;
      },
      onFit: () => map.fit(null),
    });
    live.current = map;
    map.fit(area);
    return () => {
      live.current = null;
      map.close();
    };
  }, []);
  useEffect(() => live.current?.setTiles(tiles), [tiles]);
  useEffect(() => live.current?.setDrawing({ ...NOTHING, theme: theme.value }), [theme.value]);
  const key = JSON.stringify(area);
  const outline = useMemo(() => (area === null ? [] : outlineOf(area)), [key]);
  useEffect(() => live.current?.setLines(outline), [outline]);
  return (
    <div class="stack">
      <div class="area-map map-frame">
        <section
          ref={element}
          class="map"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the map is moved by keys.
          tabIndex={0}
          aria-label="Map of the area; arrows move it, + and − zoom, 0 shows the world"
        />
      </div>
      <div class="row">
        <button
          type="button"
          disabled={seen.value === null}
          onClick={() => seen.value && onArea(seen.value)}
        >
          Take what the map shows
        </button>
      </div>
    </div>
  );
}

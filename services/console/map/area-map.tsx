import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Bounds } from "../model/bounds.ts";
import { columnsOfEvents } from "../model/columns-of-events.ts";
import { theme } from "../ui/style/theme.ts";
import { outlineOf } from "./area-outline.ts";
import { useLiveMap } from "./use-live-map.tsx";

type AreaMapProps = {
  /** Its outline is drawn; null for none. */
  readonly area: Bounds | null;
  readonly onArea: (area: Bounds) => void;
};

const NOTHING = {
  columns: columnsOfEvents(0, []),
  indexes: null,
  classes: { title: "", isLocal: false, classes: [], classOf: new Uint8Array() },
};

/** A map by which an area is chosen: it is moved until it shows the area. */
export function AreaMap({ area, onArea }: AreaMapProps) {
  const seen = useSignal<Bounds | null>(null);
  const { live, surface } = useLiveMap({
    label: "Map of the area; arrows move it, + and − zoom, 0 shows the world",
    start: (map) => map.fit(area),
    onMoved: (_view, bounds) => {
      seen.value = bounds;
    },
    whole: () => null,
  });
  useEffect(() => live.current?.setDrawing({ ...NOTHING, theme: theme.value }), [theme.value]);
  const key = JSON.stringify(area);
  const outline = useMemo(() => (area === null ? [] : [outlineOf(area)]), [key]);
  useEffect(() => live.current?.setLines("map-area", outline), [outline]);
  return (
    <div class="stack">
      <div class="area-map map-frame">{surface}</div>
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

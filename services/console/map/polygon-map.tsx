import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Area, boxOfArea } from "#contracts/geometry/shape.ts";
import { columnsOfEvents } from "../model/event-columns.ts";
import { theme } from "../ui/style/theme.ts";
import { useLiveMap } from "./live-map.tsx";
import type { Shape } from "./shapes.ts";
import { ToolBar, useTools, useToolsOn } from "./tool-bar.tsx";

type PolygonMapProps = {
  /** Null for none. */
  readonly area: Area | null;
  /** Gets the area with what is drawn; without it nothing can be drawn. */
  readonly onArea?: (area: Area | null) => void;
};

const NOTHING = {
  columns: columnsOfEvents(0, []),
  indexes: null,
  classes: { title: "", isLocal: false, classes: [], classOf: new Uint8Array() },
};

/** A map of an area, on which its parts are drawn as polygons. */
export function PolygonMap({ area, onArea }: PolygonMapProps) {
  const drawn = useRef(area);
  const set = (now: Area | null) => {
    drawn.current = now;
    onArea?.(now);
  };
  const tools = useTools((shape) => {
    if (shape.kind === "polygon") set([...(area ?? []), ...shape.area]);
  });
  const whole = () => area && boxOfArea(area);
  const { live, surface } = useLiveMap({
    label: "Map of the area; arrows move it, + and − zoom, 0 shows all of the area",
    start: (map) => map.fit(whole()),
    ...tools.listeners,
    whole,
  });
  useEffect(() => live.current?.setDrawing({ ...NOTHING, theme: theme.value }), [theme.value]);
  const shapes = useMemo((): readonly Shape[] => (area ? [{ kind: "polygon", area }] : []), [area]);
  useToolsOn(live, tools, shapes);
  useEffect(() => {
    // What is drawn here is in view already.
    if (area !== drawn.current) live.current?.fit(whole());
    drawn.current = area;
  }, [area]);
  return (
    <div class="polygon-map map-frame">
      {surface}
      {onArea && (
        <ToolBar
          tools={tools}
          only={{ tool: "polygon", name: area ? "Draw another part" : "Draw a polygon" }}
          shapes={shapes}
          onRemoved={() => set(null)}
        />
      )}
    </div>
  );
}

import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Area, boxOfArea } from "#contracts/geometry/shape.ts";
import { useLiveMap } from "./live-map.tsx";
import { linesOfShape, type Shape } from "./shapes.ts";
import { ToolBar } from "./tool-bar.tsx";

type PolygonMapProps = {
  readonly area: Area | null;
  /** Gets the area with what is drawn; without it nothing can be drawn. */
  readonly onArea?: (area: Area | null) => void;
};

/** A map of an area, on which its parts are drawn as polygons. */
export function PolygonMap({ area, onArea }: PolygonMapProps) {
  const drawn = useRef(area);
  const set = (now: Area | null) => {
    drawn.current = now;
    onArea?.(now);
  };
  const whole = () => area && boxOfArea(area);
  const shapes = useMemo((): readonly Shape[] => (area ? [{ kind: "polygon", area }] : []), [area]);
  const { map, surface } = useLiveMap({
    label: "Map of the area; arrows move it, + and − zoom, 0 shows all of the area",
    areas: useMemo(() => shapes.flatMap(linesOfShape), [shapes]),
    onShape: (shape) => shape.kind === "polygon" && set([...(area ?? []), ...shape.area]),
    whole,
  });
  useEffect(() => {
    // What is drawn here is in view already.
    if (area !== drawn.current) map.fit(whole());
    drawn.current = area;
  }, [area]);
  return (
    <div class="polygon-map map-frame">
      {surface}
      {onArea && (
        <ToolBar
          map={map}
          only={{ tool: "polygon", name: area ? "Draw another part" : "Draw a polygon" }}
          shapes={shapes}
          onRemoved={() => set(null)}
        />
      )}
    </div>
  );
}

import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { LiveMap, MapListeners } from "./live-map.ts";
import { dotsOfShape, linesOfShape, type Shape, type Tool } from "./shapes.ts";

export type Tools = {
  /** What is in the hand. */
  readonly tool: Signal<Tool | null>;
  /** What is being drawn. */
  readonly draft: Signal<Shape | null>;
  /** The last thing that was measured. */
  readonly measured: Signal<Shape | null>;
  /** The map that they are used on (`useToolsOn`). */
  readonly map: RefObject<LiveMap | null>;
  /** Of the polygon that is being drawn: without its last vertex, or as it is. */
  readonly takeBack: () => void;
  readonly close: () => void;
  readonly listeners: Required<Pick<MapListeners, "onDrawing" | "onShape" | "onPutDown">>;
};

const NO_SHAPES: readonly Shape[] = [];

/** What is drawn on a map by hand. A ruler stays with the map; other shapes are told. */
export function useTools(told: ((shape: Shape) => void) | undefined): Tools {
  const tool = useSignal<Tool | null>(null);
  const draft = useSignal<Shape | null>(null);
  const measured = useSignal<Shape | null>(null);
  const map = useRef<LiveMap | null>(null);
  return {
    tool,
    draft,
    measured,
    map,
    takeBack: () => map.current?.vertices.takeBack(),
    close: () => map.current?.vertices.close(),
    listeners: {
      onDrawing: (shape) => {
        draft.value = shape;
      },
      onShape: (shape) => {
        tool.value = null;
        if (shape.kind === "ruler") measured.value = shape;
        else told?.(shape);
      },
      onPutDown: () => {
        tool.value = null;
      },
    },
  };
}

/** Shows on the map what is drawn, with what has been drawn before, which stays the same list while nothing changes. */
export function useToolsOn(
  live: RefObject<LiveMap | null>,
  { tool, draft, measured, map }: Tools,
  shapes: readonly Shape[] = NO_SHAPES,
): void {
  useEffect(() => {
    map.current = live.current;
  });
  // At once with the button: a click that follows must not be missed.
  useLayoutEffect(() => live.current?.take(tool.value), [tool.value]);
  const [drawing, ruler] = [draft.value, measured.value];
  useEffect(() => {
    const all = [drawing, ruler].flatMap((shape) => (shape ? linesOfShape(shape) : []));
    live.current?.setLines("map-draft", all);
    live.current?.setLines("map-vertex", drawing ? dotsOfShape(drawing) : []);
  }, [drawing, ruler]);
  const lines = useMemo(() => shapes.flatMap(linesOfShape), [shapes]);
  useEffect(() => live.current?.setLines("map-area", lines), [lines]);
}

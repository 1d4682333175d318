import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { LiveMap } from "./live-map.ts";
import { linesOfShape, type Shape, type Tool } from "./shapes.ts";

export type Tools = {
  /** What is in the hand. */
  readonly tool: Signal<Tool | null>;
  /** What is being drawn. */
  readonly draft: Signal<Shape | null>;
  /** The last thing that was measured. */
  readonly measured: Signal<Shape | null>;
  readonly onDrawing: (shape: Shape | null) => void;
  readonly onShape: (shape: Shape) => void;
  /** Shows on the map what is drawn, with what has been drawn before. */
  readonly useOn: (live: RefObject<LiveMap | null>, shapes?: readonly Shape[]) => void;
};

/** What is drawn on a map by hand. A ruler stays with the map; other shapes are told. */
export function useTools(told: ((shape: Shape) => void) | undefined): Tools {
  const tool = useSignal<Tool | null>(null);
  const draft = useSignal<Shape | null>(null);
  const measured = useSignal<Shape | null>(null);
  const useOn: Tools["useOn"] = (live, shapes = []) => {
    useEffect(() => live.current?.take(tool.value), [tool.value]);
    const [drawing, ruler] = [draft.value, measured.value];
    useEffect(() => {
      const all = [drawing, ruler].flatMap((shape) => (shape ? linesOfShape(shape) : []));
      live.current?.setLines("map-draft", all);
    }, [drawing, ruler]);
    const key = JSON.stringify(shapes);
    const lines = useMemo(() => shapes.flatMap(linesOfShape), [key]);
    useEffect(() => live.current?.setLines("map-area", lines), [lines]);
  };
  return {
    tool,
    draft,
    measured,
    onDrawing: (shape) => {
      draft.value = shape;
    },
    onShape: (shape) => {
      tool.value = null;
      if (shape.kind === "ruler") measured.value = shape;
      else told?.(shape);
    },
    useOn,
  };
}

import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { theme } from "../ui/style/theme.ts";
import { BoxMap, type NamedBox } from "./box-map.ts";

type BoxesMapProps = {
  readonly boxes: readonly NamedBox[];
  /** The id of the box that is pointed at, here or in the list. */
  readonly marked: Signal<string | null>;
  readonly onChosen: (id: string) => void;
};

/**
 * Where the members of a list lie: pointing at a box marks its row, and a row its box. The list itself
 * tells it in words, and leads to them without a mouse.
 */
export function BoxesMap({ boxes, marked, onChosen }: BoxesMapProps) {
  const element = useRef<HTMLDivElement>(null);
  const map = useRef<BoxMap | null>(null);
  useEffect(() => {
    if (!element.current) return;
    map.current = new BoxMap(element.current, {
      onPointed: (id) => {
        marked.value = id;
      },
      onChosen,
    });
    return () => map.current?.close();
  }, []);
  useEffect(() => map.current?.setTheme(theme.value), [theme.value]);
  useEffect(() => map.current?.setBoxes(boxes), [boxes]);
  const id = marked.value;
  useEffect(() => map.current?.mark(id), [id, boxes]);
  return <div ref={element} class="map catalogues-map" aria-hidden="true" />;
}

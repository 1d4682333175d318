import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { AnswerOf } from "../api/operation-types.ts";
import { BoxMap, type NamedBox } from "../map/box-map.ts";
import { theme } from "../ui/theme.ts";

type Catalogue = AnswerOf<"GET /api/catalogues">["catalogues"][number];

type CataloguesMapProps = {
  readonly catalogues: readonly Catalogue[];
  /** The id of the catalogue whose row is pointed at. */
  readonly marked: Signal<string | null>;
};

/** Where the catalogues of a list have their events. The list itself tells it in words. */
export function CataloguesMap({ catalogues, marked }: CataloguesMapProps) {
  const element = useRef<HTMLDivElement>(null);
  const map = useRef<BoxMap | null>(null);
  useEffect(() => {
    if (!element.current) return;
    map.current = new BoxMap(element.current);
    return () => map.current?.close();
  }, []);
  useEffect(() => map.current?.setTheme(theme.value), [theme.value]);
  useEffect(() => {
    map.current?.setBoxes(catalogues.flatMap(boxOf));
  }, [catalogues]);
  const id = marked.value;
  useEffect(() => map.current?.mark(id), [id]);
  return <div ref={element} class="map catalogues-map" aria-hidden="true" />;
}

function boxOf(catalogue: Catalogue): NamedBox[] {
  const { id, min_latitude, max_latitude, min_longitude, max_longitude } = catalogue;
  if (
    min_latitude === null ||
    max_latitude === null ||
    min_longitude === null ||
    max_longitude === null
  ) {
    return [];
  }
  const bounds = {
    south: min_latitude,
    north: max_latitude,
    west: min_longitude,
    east: max_longitude,
  };
  return [{ id, bounds }];
}

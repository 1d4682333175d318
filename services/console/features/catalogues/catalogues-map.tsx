import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { BoxMap, type NamedBox } from "../../map/box-map.ts";
import type { AnswerOf } from "../../model/operation-types.ts";
import { theme } from "../../ui/style/theme.ts";

type Catalogue = AnswerOf<"GET /api/catalogues">["catalogues"][number];

type CataloguesMapProps = {
  readonly catalogues: readonly Catalogue[];
  /** Whether the list has further pages. */
  readonly isPart: boolean;
  /** The id of the catalogue that is pointed at, here or in the list. */
  readonly marked: Signal<string | null>;
};

/**
 * Where the catalogues of a list have their events: pointing at a box marks its row, and a row its
 * box. The list itself tells it in words, and leads to them without a mouse.
 */
export function CataloguesMap({ catalogues, isPart, marked }: CataloguesMapProps) {
  const element = useRef<HTMLDivElement>(null);
  const map = useRef<BoxMap | null>(null);
  const [, navigate] = useLocation();
  useEffect(() => {
    if (!element.current) return;
    map.current = new BoxMap(element.current, {
      onPointed: (id) => {
        marked.value = id;
      },
      onChosen: (id) => navigate(`/catalogues/${id}`),
    });
    return () => map.current?.close();
  }, []);
  useEffect(() => map.current?.setTheme(theme.value), [theme.value]);
  useEffect(() => {
    map.current?.setBoxes(catalogues.flatMap(boxOf));
  }, [catalogues]);
  const id = marked.value;
  useEffect(() => map.current?.mark(id), [id]);
  return (
    <div>
      <div ref={element} class="map catalogues-map" aria-hidden="true" />
      {isPart && <p class="muted small">The map has the catalogues of this page of the list.</p>}
    </div>
  );
}

function boxOf({ id, bbox }: Catalogue): NamedBox[] {
  if (bbox === null) return [];
  const [west, south, east, north] = bbox;
  return [{ id, bounds: { south, north, west, east } }];
}

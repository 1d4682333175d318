import type { Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { AnswerOf } from "../../api/call.ts";
import { BoxesMap, type NamedBox } from "../../map/boxes-map.tsx";
import { boundsOfBbox } from "../../model/bounds.ts";

type Catalogue = AnswerOf<"GET /api/catalogues">["catalogues"][number];

type CataloguesMapProps = {
  readonly catalogues: readonly Catalogue[];
  /** Whether the list has further pages. */
  readonly isPart: boolean;
  /** The id of the catalogue that is pointed at, here or in the list. */
  readonly marked: Signal<string | null>;
};

/** Where the catalogues of a list have their events. */
export function CataloguesMap({ catalogues, isPart, marked }: CataloguesMapProps) {
  const [, navigate] = useLocation();
  const boxes = useMemo(() => catalogues.flatMap(boxOf), [catalogues]);
  return (
    <div>
      <BoxesMap boxes={boxes} marked={marked} onChosen={(id) => navigate(`/catalogues/${id}`)} />
      {isPart && <p class="muted small">The map has the catalogues of this page of the list.</p>}
    </div>
  );
}

function boxOf({ id, bbox }: Catalogue): NamedBox[] {
  return bbox === null ? [] : [{ id, bounds: boundsOfBbox(bbox) }];
}

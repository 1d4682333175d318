import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Bounds } from "../../model/bounds.ts";
import type { Place } from "../../model/great-circle.ts";
import {
  FARTHEST_KM,
  type KnownArea,
  type NamedPlace,
  nearestPlace,
  oceanAt,
  whereFrom,
} from "../../model/places.ts";

type Located = Place & { readonly region?: string | null };

/** Where an event is in words: its own region, else from the nearest place. */
export function useRegion(event: Located | null): string | null {
  const own = event?.region?.trim() || null;
  const computed = useWhere(own === null ? event : null);
  return own ?? computed;
}

/** Where an event is in words; nothing until that is known. */
export function Where({ event }: { readonly event: Located }) {
  return <>{useRegion(event)}</>;
}

type ListedArea = { readonly box: Bounds; readonly address: string };

/** All areas, once they are listed; of those that an event was near to, the places. */
const areas = signal<readonly (KnownArea & ListedArea)[] | null>(null);

/** What is on its way or has come. What failed is tried again by the next that asks. */
const asked = new Set<string>();

/**
 * Where a place is in words, "12 km SE of Taupo"; null until the places around it have come. Asks for
 * these, behind everything else that the page needs.
 */
function useWhere(at: Place | null): string | null {
  const known = areas.value;
  const [latitude, longitude] = [at?.latitude ?? null, at?.longitude ?? null];
  const found = useMemo(() => {
    if (latitude === null || longitude === null || known === null) return null;
    return nearestPlace({ latitude, longitude }, known, FARTHEST_KM);
  }, [latitude, longitude, known]);
  const missing = found?.kind === "area" ? known?.[found.index]?.address : undefined;
  const isAsked = at !== null;
  useEffect(() => {
    if (!isAsked) return;
    if (known === null) fetchOnce(PLACES_ADDRESS, listAreas);
    else if (missing !== undefined)
      fetchOnce<readonly NamedPlace[]>(missing, (places) => addPlaces(missing, places));
  }, [isAsked, known, missing]);
  if (at === null || found === null || found.kind === "area") return null;
  return found.kind === "place" ? whereFrom(found.place, at) : oceanAt(at);
}

function listAreas(list: readonly ListedArea[]): void {
  areas.value = list.map((area) => ({ ...area, places: null }));
}

function addPlaces(address: string, places: readonly NamedPlace[]): void {
  areas.value =
    areas.value?.map((area) => (area.address === address ? { ...area, places } : area)) ?? null;
}

function fetchOnce<Content>(address: string, take: (content: Content) => void): void {
  if (asked.has(address)) return;
  asked.add(address);
  fetch(address, { priority: "low" })
    .then((answer) => {
      if (!answer.ok) throw new Error(`${address} is not there`);
      return answer.json();
    })
    .then(take)
    // Words are missed less than a page that complains of them.
    .catch(() => asked.delete(address));
}

import type { Place } from "../../model/great-circle.ts";
import { useWhere } from "./near-places.ts";

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

import { share } from "../../api/share.ts";
import type { SeismicEvent } from "./read-event.ts";

type PartsNavProps = {
  readonly event: SeismicEvent;
  /** Whether arrivals and station magnitudes are too many to be shown. */
  readonly isCut: boolean;
};

/** The way to the parts of a long page: of an event with more than one solution, or with arrivals. */
export function PartsNav({ event, isCut }: PartsNavProps) {
  const { bulletin_counts: counts, focal_mechanisms, source_events } = event;
  if (counts === undefined) return null;
  const parts: readonly (readonly [id: string, text: string, isThere: boolean])[] = [
    ["solutions", "Solutions", true],
    ["arrivals", "Arrivals", !isCut && (counts.arrivals ?? 0) > 0],
    ["station-magnitudes", "Magnitudes by station", !isCut && (counts.station_magnitudes ?? 0) > 0],
    ["merged-from", "Merged from", (source_events?.length ?? 0) > 0],
    ["mechanism", "Mechanism", (focal_mechanisms?.length ?? 0) > 0],
    ["history", "History", share === null],
  ];
  return (
    <nav class="tabs parts-nav" aria-label="Parts of this page">
      {parts.map(
        ([id, text, isThere]) =>
          isThere && (
            <a key={id} href={`#${id}`}>
              {text}
            </a>
          ),
      )}
    </nav>
  );
}

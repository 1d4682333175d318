import { boundsOfBbox } from "../../model/bounds.ts";
import { latitude, longitude } from "../../ui/text/format.ts";

const DIGITS = 2;

/** Between which parallels and meridians a region lies. */
export function Extent({ bbox }: { readonly bbox: readonly number[] }) {
  const { south, north, west, east } = boundsOfBbox(bbox);
  return (
    <>
      <span class="nowrap">
        {latitude(south, DIGITS)} to {latitude(north, DIGITS)},
      </span>{" "}
      <span class="nowrap">
        {longitude(west, DIGITS)} to {longitude(east, DIGITS)}
      </span>
    </>
  );
}

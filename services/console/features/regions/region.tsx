import { boundsOfBbox } from "../../model/bounds.ts";
import { ErrorNotice } from "../../ui/call.tsx";
import { ButtonLink, Empty, Frame, isGone } from "../../ui/page.tsx";
import { latitude, longitude } from "../../ui/text/format.ts";

/** Stands where a region could not be read. */
export function NoRegion(props: { readonly error: unknown; readonly retry: () => void }) {
  const { error, retry } = props;
  return (
    <Frame title={isGone(error) ? "There is no such region" : "Region"}>
      {!isGone(error) && <ErrorNotice error={error} retry={retry} />}
      <Empty title="Nothing stands at this address." text="The region may have been deleted.">
        <ButtonLink href="/regions" text="All regions" />
      </Empty>
    </Frame>
  );
}

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

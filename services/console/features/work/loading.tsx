import type { Signal } from "@preact/signals";
import { count, decimal } from "../../ui/text/format.ts";

type LoadingProps = {
  /** How many events come at most. */
  readonly expected: number;
  readonly bytes: Signal<number>;
};

/** Bytes of an event: id, time, place, depth and magnitude. */
const EVENT_BYTES = 32;

/** How much of the events has come, where the map will be. */
export function Loading({ expected, bytes }: LoadingProps) {
  const all = expected * EVENT_BYTES;
  const came = bytes.value;
  return (
    <div class="loading-events waiting" role="status">
      <p>
        Loading {count(expected)} events
        {came > 0 && `: ${megabytes(came)} of at most ${megabytes(all)} MB`}…
      </p>
      <progress max={Math.max(1, all)} value={came} aria-label="Events that have come" />
    </div>
  );
}

function megabytes(bytes: number): string {
  return decimal(bytes / 2 ** 20, 1);
}

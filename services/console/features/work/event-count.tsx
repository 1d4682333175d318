import { filterCount, type WorkState } from "../../model/work-state.ts";
import { Checkbox } from "../../ui/form/checkbox.tsx";
import { count, events, UNKNOWN } from "../../ui/text/format.ts";
import type { Change } from "../../ui/use-work-state.ts";

type EventCountProps = {
  /** Null until it is known. */
  readonly passing: number | null;
  /** How many events there are without filters; null where that is not known. */
  readonly all: number | null;
  readonly state: WorkState;
  readonly change: Change;
  /** While it changes many times a second, nobody wants to hear it. */
  readonly isMoving: boolean;
};

/** How many events are shown, of how many. It takes the same room whatever is chosen: nothing below it moves. */
export function EventCount({ passing, all, state, change, isMoving }: EventCountProps) {
  const isFiltered = filterCount(state) > 0 || state.inMap;
  return (
    <div class="row shown">
      <p class="shown-count" aria-live={isMoving ? "off" : "polite"}>
        <strong>{passing === null ? UNKNOWN : count(passing)}</strong>
        {isFiltered && all !== null ? ` of ${events(all)}` : passing === 1 ? " event" : " events"}
      </p>
      <Checkbox checked={state.inMap} onChecked={(inMap) => change({ inMap })}>
        Only what the map shows
      </Checkbox>
      <button
        type="button"
        disabled={!isFiltered}
        onClick={() => change({ filters: {}, inMap: false })}
      >
        Clear
      </button>
    </div>
  );
}

import type { EventColumns } from "../../api/columns.ts";
import { count } from "../../ui/format.ts";
import type { Catalogue } from "./page.tsx";
import { filterCount, type WorkState } from "./url-state.ts";
import type { Change } from "./use-work-state.ts";

type ShownProps = {
  readonly catalogue: Catalogue;
  readonly columns: EventColumns;
  readonly shown: Uint32Array | null;
  readonly state: WorkState;
  readonly change: Change;
};

/** How many events are shown, of how many. */
export function Shown({ catalogue, columns, shown, state, change }: ShownProps) {
  const found = shown ? shown.length : columns.count;
  const all = columns.version === catalogue.version ? catalogue.event_count : null;
  const isFiltered = filterCount(state) > 0 || state.inMap;
  return (
    <div class="row shown">
      <p role="status">
        <strong>{count(found)}</strong>
        {isFiltered && all !== null && ` of ${count(all)}`} events
      </p>
      <label class="inline">
        <input
          type="checkbox"
          checked={state.inMap}
          onChange={({ currentTarget }) => change({ inMap: currentTarget.checked })}
        />
        Only what the map shows
      </label>
      {isFiltered && (
        <button type="button" onClick={() => change({ filters: {}, inMap: false })}>
          Clear
        </button>
      )}
      {found === 0 && columns.count > 0 && <span class="muted">No event passes the filters.</span>}
    </div>
  );
}

import { FILTERS, type FilterName } from "#contracts/query/filters.ts";
import type { FilterValues } from "../../model/filters.ts";
import type { WorkState } from "../../model/work-state.ts";
import { filterWords } from "../../ui/text/filter-words.ts";
import type { Change } from "../../ui/use-work-state.ts";

/** Parameters that say one thing together. */
const GROUPS = FILTERS.map(({ parameters }) => Object.keys(parameters) as FilterName[]);

type NothingPassesProps = { readonly state: WorkState; readonly change: Change };

/** Stands on the map where no event passes the filters, each of which can be taken away. */
export function NothingPasses({ state, change }: NothingPassesProps) {
  const set = GROUPS.map((names) => ({ names, words: wordsOf(state.filters, names) }));
  return (
    <div class="nothing-passes" role="status">
      <h2>No event passes the filters</h2>
      <p class="row">
        {state.inMap && (
          <button type="button" onClick={() => change({ inMap: false })}>
            Look outside the map too
          </button>
        )}
        {set.map(
          ({ names, words }) =>
            words && (
              <button
                key={words}
                type="button"
                title="Take this filter away"
                onClick={() => change((now) => ({ filters: without(now.filters, names) }))}
              >
                Without {words}
              </button>
            ),
        )}
        <button type="button" class="primary" onClick={() => change({ filters: {}, inMap: false })}>
          Show all events
        </button>
      </p>
    </div>
  );
}

function wordsOf(filters: FilterValues, names: readonly FilterName[]): string {
  return filterWords(Object.fromEntries(names.map((name) => [name, filters[name] ?? null]))).join(
    ", ",
  );
}

function without(filters: FilterValues, names: readonly FilterName[]): FilterValues {
  const left = Object.entries(filters).filter(([name]) => !names.includes(name as FilterName));
  return Object.fromEntries(left);
}

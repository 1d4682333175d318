// biome-ignore-all lint/a11y/useSemanticElements: rows are laid out by place, which tables are not.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid keeps the focus.
import type { SortColumn } from "../../../model/work-state.ts";
import { ariaSort, type Order, SortButton } from "../../../ui/sort-button.tsx";

export const COLUMNS: readonly { readonly name: SortColumn; readonly text: string }[] = [
  { name: "time", text: "Time, UTC" },
  { name: "magnitude", text: "Mag." },
  { name: "depth", text: "Depth, km" },
  { name: "latitude", text: "Lat., °" },
  { name: "longitude", text: "Lon., °" },
];

export type TableHeadProps = {
  readonly sort: SortColumn;
  readonly order: Order;
  readonly onSort: (sort: SortColumn, order: Order) => void;
};

export function TableHead({ sort, order, onSort }: TableHeadProps) {
  return (
    <div class="event-head" role="row" aria-rowindex={1}>
      {COLUMNS.map(({ name, text }) => {
        const own = name === sort ? order : null;
        return (
          <div key={name} class="sortable" role="columnheader" aria-sort={ariaSort(own)}>
            <SortButton
              text={text}
              order={own}
              onSort={() => onSort(name, own === "desc" ? "asc" : "desc")}
            />
          </div>
        );
      })}
    </div>
  );
}

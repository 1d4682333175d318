// biome-ignore-all lint/a11y/useSemanticElements: rows are laid out by place, which tables are not.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid keeps the focus.
import type { SortColumn } from "../../../model/work-state.ts";

export const COLUMNS: readonly { readonly name: SortColumn; readonly text: string }[] = [
  { name: "time", text: "Time, UTC" },
  { name: "magnitude", text: "Mag." },
  { name: "depth", text: "Depth, km" },
  { name: "latitude", text: "Lat., °" },
  { name: "longitude", text: "Lon., °" },
];

export type TableHeadProps = {
  readonly sort: SortColumn;
  readonly order: "asc" | "desc";
  readonly onSort: (sort: SortColumn, order: "asc" | "desc") => void;
};

export function TableHead({ sort, order, onSort }: TableHeadProps) {
  return (
    <div class="event-head" role="row" aria-rowindex={1}>
      {COLUMNS.map(({ name, text }) => (
        <ColumnHead
          key={name}
          text={text}
          order={name === sort ? order : null}
          onClick={() => onSort(name, name === sort && order === "desc" ? "asc" : "desc")}
        />
      ))}
    </div>
  );
}

type ColumnHeadProps = {
  readonly text: string;
  readonly order: "asc" | "desc" | null;
  readonly onClick: () => void;
};

function ColumnHead({ text, order, onClick }: ColumnHeadProps) {
  const sorted = order === "asc" ? "ascending" : order === "desc" ? "descending" : "none";
  return (
    <div class="sortable" role="columnheader" aria-sort={sorted}>
      <button type="button" class="plain" onClick={onClick}>
        {text}
        <span aria-hidden="true">{order === "asc" ? " ▲" : order === "desc" ? " ▼" : ""}</span>
      </button>
    </div>
  );
}

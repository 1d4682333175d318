import type { ComponentChildren } from "preact";
import { ScrollArea } from "./scroll-area.tsx";
import { ariaSort, type Order, SortButton } from "./sort-button.tsx";

export type Column =
  | string
  /** Of numbers, which stand to the right. */
  | { readonly number: string; readonly title?: string }
  /** Orders the rows; `order` is null while another column does. */
  | {
      readonly sorted: string;
      readonly isNumber?: boolean;
      readonly order: Order | null;
      readonly onSort: () => void;
    }
  /** Needs no words for those who see it. */
  | { readonly hidden: string };

type TableProps = {
  /** Of the part that scrolls sideways; without, the table does not. */
  readonly label?: string;
  /** Its style (tables.css). */
  readonly kind?: string;
  /** False ones are left out. */
  readonly columns: readonly (Column | false)[];
  readonly children: ComponentChildren;
};

/** The names of the columns, and rows below. */
export function Table({ label, kind, columns, children }: TableProps) {
  const table = (
    <table class={kind}>
      <thead>
        <tr>{columns.map((column) => column && headOf(column))}</tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
  return label === undefined ? table : <ScrollArea label={label}>{table}</ScrollArea>;
}

function headOf(column: Column) {
  if (typeof column === "string") {
    return (
      <th key={column} scope="col">
        {column}
      </th>
    );
  }
  if ("number" in column) {
    return (
      <th key={column.number} scope="col" class="number" title={column.title}>
        {column.number}
      </th>
    );
  }
  if ("sorted" in column) {
    const { sorted, isNumber, order, onSort } = column;
    return (
      <th
        key={sorted}
        scope="col"
        class={isNumber ? "sortable number" : "sortable"}
        aria-sort={ariaSort(order)}
      >
        <SortButton text={sorted} order={order} onSort={onSort} />
      </th>
    );
  }
  return (
    <th key={column.hidden} scope="col">
      <span class="visually-hidden">{column.hidden}</span>
    </th>
  );
}

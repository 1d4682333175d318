import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

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
  /** Its style (tables.css). `folds`: on a telephone each row is two lines or more, nothing is scrolled sideways. */
  readonly kind?: string;
  /** False ones are left out. */
  readonly columns: readonly (Column | false)[];
  readonly children: ComponentChildren;
};

/** The names of the columns, and rows below. */
export function Table({ label, kind, columns, children }: TableProps) {
  const shown = columns.filter((column) => column !== false);
  const table = (
    <table class={kind} style={namesOf(shown)}>
      <thead>
        <tr>{shown.map(headOf)}</tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
  return label === undefined ? table : <ScrollArea label={label}>{table}</ScrollArea>;
}

/** The columns' names for the styles, which put them into the rows where these are folded. */
function namesOf(columns: readonly Column[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    columns.map((column, i) => [`--head-${i + 1}`, JSON.stringify(`${nameOf(column)} `)]),
  );
}

function nameOf(column: Column): string {
  if (typeof column === "string") return column;
  if ("number" in column) return column.number;
  return "sorted" in column ? column.sorted : "";
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

type ScrollAreaProps = { readonly label: string; readonly children: ComponentChildren };

/** A wide part that scrolls sideways, also by keyboard. */
function ScrollArea({ label, children }: ScrollAreaProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot scroll.
    <section class="scroll-x" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

export type Order = "asc" | "desc";

type SortButtonProps = {
  readonly text: string;
  /** Null where another column has the order. */
  readonly order: Order | null;
  readonly onSort: () => void;
};

/** The head of a column that orders the rows; it fills its cell. */
export function SortButton({ text, order, onSort }: SortButtonProps) {
  return (
    <button type="button" class="plain" onClick={onSort}>
      {text}
      {order !== null && <Icon name={order === "asc" ? "up" : "down"} />}
    </button>
  );
}

/** The order as assistive technology is told it. */
export function ariaSort(order: Order | null): "ascending" | "descending" | "none" {
  return order === "asc" ? "ascending" : order === "desc" ? "descending" : "none";
}

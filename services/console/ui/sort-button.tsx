import { Icon } from "./icon.tsx";

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

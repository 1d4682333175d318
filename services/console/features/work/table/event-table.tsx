// biome-ignore-all lint/a11y/useSemanticElements: rows are laid out by place, which tables are not.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid keeps the focus and names the chosen row: a row goes when it leaves the view.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { EventColumns } from "../../../model/event-columns.ts";
import { useSize } from "../../../ui/use-size.ts";
import { EventRow, rowId } from "./event-row.tsx";
import { ordered, shownOf } from "./order.ts";
import { rowsInView, scrollTo } from "./rows-in-view.ts";
import { COLUMNS, TableHead, type TableHeadProps } from "./table-head.tsx";

/** Two lines, of which the second says where (work.css). */
const ROW_HEIGHT = 46;
/** Of the view before it is measured. */
const FIRST_HEIGHT = 400;

type EventTableProps = TableHeadProps & {
  readonly columns: EventColumns;
  /** Indexes of the events that pass the filters, ascending; null for all. */
  readonly indexes: Uint32Array | null;
  readonly selected: Signal<number | null>;
  /** A click with Shift: the rows from the chosen one to this, by their events' indexes. */
  readonly onRange: (one: number, other: number) => void;
  /** Enter, or a double click. */
  readonly onOpen: (index: number) => void;
};

/** The events as a grid of which only the rows in view are drawn; arrow keys walk through it. */
export function EventTable(props: EventTableProps) {
  const { columns, indexes, selected, sort, order, onSort, onRange, onOpen } = props;
  const grid = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const scrolled = useSignal(0);
  const viewHeight = useSize(body).value.height || FIRST_HEIGHT;
  const all = useMemo(() => ordered(columns, sort, order), [columns, sort, order]);
  const rows = useMemo(() => shownOf(all, indexes), [all, indexes]);
  const places = useMemo(() => placesOf(rows, columns.count), [rows]);
  const chosen = selected.value;
  const chosenRow = chosen === null ? -1 : (places[chosen] ?? 0) - 1;
  useEffect(() => {
    if (body.current && chosenRow >= 0) scrollToRow(body.current, chosenRow, rows.length);
  }, [chosenRow, rows, viewHeight]);
  const onKey = (event: KeyboardEvent) => {
    // The buttons of the head have keys of their own.
    if (event.target !== event.currentTarget) return;
    const to = rowAfter(event.key, chosenRow, rows.length, viewHeight);
    if (event.key === "Enter" && chosen !== null && chosenRow >= 0) onOpen(chosen);
    else if (to !== null) selected.value = rows[to] ?? null;
    else return;
    event.preventDefault();
  };
  const inView = rowsInView(rows.length, ROW_HEIGHT, viewHeight, scrolled.value);
  const isChosenDrawn = chosenRow >= inView.first && chosenRow < inView.first + inView.count;
  return (
    <div
      ref={grid}
      class="event-table"
      role="grid"
      aria-label="Events"
      aria-rowcount={rows.length + 1}
      aria-colcount={COLUMNS.length}
      tabIndex={0}
      aria-activedescendant={isChosenDrawn ? rowId(chosenRow) : undefined}
      onKeyDown={onKey}
    >
      <TableHead sort={sort} order={order} onSort={onSort} />
      <div
        ref={body}
        class="event-rows"
        role="rowgroup"
        tabIndex={-1}
        onScroll={({ currentTarget }) => (scrolled.value = currentTarget.scrollTop)}
      >
        <Rows
          {...{ columns, rows, inView, chosen, onOpen }}
          onChoose={(index, isRange) => {
            if (isRange && chosen !== null && chosenRow >= 0) onRange(chosen, index);
            else selected.value = index;
            grid.current?.focus({ preventScroll: true });
          }}
        />
      </div>
    </div>
  );
}

/** Where a key leads from a row, −1 for none; null where it leads nowhere. */
function rowAfter(key: string, row: number, rows: number, viewHeight: number): number | null {
  const page = Math.max(1, Math.floor(viewHeight / ROW_HEIGHT) - 1);
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: row + 1,
    ArrowUp: row < 0 ? 0 : row - 1,
    PageDown: row + page,
    PageUp: row - page,
    Home: 0,
    End: rows - 1,
  };
  const to = steps[key];
  return to === undefined || rows === 0 ? null : Math.max(0, Math.min(to, rows - 1));
}

function scrollToRow(body: HTMLElement, row: number, rows: number): void {
  body.scrollTop = scrollTo(row, rows, ROW_HEIGHT, body.clientHeight, body.scrollTop);
}

/** For each event its row from 1 on, 0 where it is not shown. */
function placesOf(rows: Uint32Array, events: number): Uint32Array {
  const places = new Uint32Array(events);
  for (let row = 0; row < rows.length; row++) places[rows[row] ?? 0] = row + 1;
  return places;
}

type RowsProps = Pick<EventTableProps, "columns" | "onOpen"> & {
  /** The events' indexes in the order of the table. */
  readonly rows: Uint32Array;
  readonly inView: ReturnType<typeof rowsInView>;
  readonly chosen: number | null;
  readonly onChoose: (index: number, isRange: boolean) => void;
};

/** The rows in view, each at its place in the height of all. */
function Rows({ columns, rows, inView, chosen, onChoose, onOpen }: RowsProps) {
  const { height, first, top, count } = inView;
  return (
    <div class="event-space" role="presentation" style={{ height: `${height}px` }}>
      {rows.length === 0 && (
        <div role="row" class="no-rows">
          <span role="gridcell">No event passes the filters.</span>
        </div>
      )}
      {Array.from({ length: count }, (_, n) => {
        const row = first + n;
        const index = rows[row] ?? 0;
        return (
          <EventRow
            key={row}
            row={row}
            top={top + n * ROW_HEIGHT}
            index={index}
            columns={columns}
            isSelected={index === chosen}
            onChoose={(isRange) => onChoose(index, isRange)}
            onOpen={() => onOpen(index)}
          />
        );
      })}
    </div>
  );
}

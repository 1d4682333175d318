// biome-ignore-all lint/a11y/useSemanticElements: rows are laid out by place, which tables are not.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid keeps the focus and names the chosen row: a row goes when it leaves the view.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type EventColumns, locatedAt, timeAt } from "../../model/event-columns.ts";
import type { SortColumn } from "../../model/work-state.ts";
import { ariaSort, type Order, SortButton } from "../../ui/table.tsx";
import { Aligned } from "../../ui/text/aligned.tsx";
import { counted, time } from "../../ui/text/format.ts";
import { tooltipOf } from "../../ui/text/moment.tsx";
import { Where } from "../../ui/text/where.tsx";
import { useSize } from "../../ui/use-size.ts";
import { ordered, rowsInView, scrollTo, shownOf } from "./table-rows.ts";

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

const COLUMNS: readonly { readonly name: SortColumn; readonly text: string }[] = [
  { name: "time", text: "Time, UTC" },
  { name: "magnitude", text: "Mag." },
  { name: "depth", text: "Depth, km" },
  { name: "latitude", text: "Lat., °" },
  { name: "longitude", text: "Lon., °" },
];

type TableHeadProps = {
  readonly sort: SortColumn;
  readonly order: Order;
  readonly onSort: (sort: SortColumn, order: Order) => void;
};

function TableHead({ sort, order, onSort }: TableHeadProps) {
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

type EventRowProps = {
  readonly row: number;
  readonly top: number;
  readonly index: number;
  readonly columns: EventColumns;
  readonly isSelected: boolean;
  readonly onChoose: (isRange: boolean) => void;
  readonly onOpen: () => void;
};

const NUMBERS = [
  ["magnitude", "magnitude"],
  ["depth", "depth"],
  ["latitude", "degrees"],
  ["longitude", "degrees"],
] as const;

/** One event of the table. */
function EventRow(props: EventRowProps) {
  const { row, top, index, columns, isSelected, onChoose, onOpen } = props;
  const at = timeAt(columns, index);
  const arrivals = columns.numbers("arrivals")?.[index] ?? 0;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys.
    <div
      id={rowId(row)}
      class="event-row"
      role="row"
      aria-rowindex={row + 2}
      aria-selected={isSelected}
      tabIndex={-1}
      style={{ transform: `translateY(${top}px)` }}
      onClick={({ shiftKey }) => onChoose(shiftKey)}
      onDblClick={onOpen}
    >
      {/* Scrolling draws rows by the hundred: the tooltip of one is made when it is pointed at. */}
      <div
        key={at}
        role="gridcell"
        onPointerEnter={({ currentTarget }) => {
          currentTarget.title = tooltipOf(at);
        }}
      >
        {time(at).slice(0, 19)}
        {arrivals > 0 && <ArrivalsMark arrivals={arrivals} />}
        <div class="event-where">
          <Where event={locatedAt(columns, index)} />
        </div>
      </div>
      {NUMBERS.map(([name, measure]) => (
        <div key={name} role="gridcell">
          <Aligned value={columns[name][index]} measure={measure} />
        </div>
      ))}
    </div>
  );
}

/** Of an event that has more than its row. */
function ArrivalsMark({ arrivals }: { readonly arrivals: number }) {
  const text = counted(arrivals, "arrival");
  return (
    <span class="arrivals-mark" role="img" aria-label={text} title={text}>
      ∿
    </span>
  );
}

function rowId(row: number): string {
  return `event-row-${row}`;
}

// biome-ignore-all lint/a11y/useSemanticElements: rows are laid out by place, which tables are not.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid keeps the focus and names the chosen row: a row goes when it leaves the view.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { EventColumns } from "../../../model/event-columns.ts";
import { EventRow, rowId } from "./event-row.tsx";
import { ordered, type SortColumn } from "./order.ts";
import { rowsInView, scrollTo } from "./rows-in-view.ts";

const ROW_HEIGHT = 28;

const COLUMNS: readonly { readonly name: SortColumn; readonly text: string }[] = [
  { name: "time", text: "Time, UTC" },
  { name: "magnitude", text: "Mag." },
  { name: "depth", text: "Depth, km" },
  { name: "latitude", text: "Lat., °" },
  { name: "longitude", text: "Lon., °" },
];

type EventTableProps = {
  readonly columns: EventColumns;
  /** Indexes of the events that pass the filters, ascending; null for all. */
  readonly shown: Uint32Array | null;
  readonly selected: Signal<number | null>;
  readonly sort: SortColumn;
  readonly order: "asc" | "desc";
  readonly onSort: (sort: SortColumn, order: "asc" | "desc") => void;
  /** Enter, or a double click. */
  readonly onOpen: (index: number) => void;
};

/** The events as a grid of which only the rows in view are drawn; arrow keys walk through it. */
export function EventTable(props: EventTableProps) {
  const { columns, shown, selected, sort, order, onSort, onOpen } = props;
  const grid = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const scrolled = useSignal(0);
  const viewHeight = useSignal(400);
  const rows = useMemo(() => ordered(columns, shown, sort, order), [columns, shown, sort, order]);
  const places = useMemo(() => placesOf(rows, columns.count), [rows]);
  const chosen = selected.value;
  const chosenRow = chosen === null ? -1 : (places[chosen] ?? 0) - 1;

  useEffect(() => {
    const element = body.current;
    if (!element) return;
    const resized = new ResizeObserver(() => {
      viewHeight.value = element.clientHeight;
    });
    resized.observe(element);
    return () => resized.disconnect();
  }, []);
  useEffect(() => {
    const element = body.current;
    if (!element || chosenRow < 0) return;
    element.scrollTop = scrollTo(
      chosenRow,
      rows.length,
      ROW_HEIGHT,
      element.clientHeight,
      element.scrollTop,
    );
  }, [chosenRow, rows]);

  const onKey = (event: KeyboardEvent) => {
    // The buttons of the head have keys of their own.
    if (event.target !== event.currentTarget) return;
    const page = Math.max(1, Math.floor(viewHeight.value / ROW_HEIGHT) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: chosenRow + 1,
      ArrowUp: chosenRow < 0 ? 0 : chosenRow - 1,
      PageDown: chosenRow + page,
      PageUp: chosenRow - page,
      Home: 0,
      End: rows.length - 1,
    };
    const to = steps[event.key];
    if (event.key === "Enter" && chosen !== null && chosenRow >= 0) onOpen(chosen);
    else if (to !== undefined && rows.length > 0) {
      selected.value = rows[Math.max(0, Math.min(to, rows.length - 1))] ?? null;
    } else return;
    event.preventDefault();
  };
  const { height, first, top, count } = rowsInView(
    rows.length,
    ROW_HEIGHT,
    viewHeight.value,
    scrolled.value,
  );
  const isChosenDrawn = chosenRow >= first && chosenRow < first + count;
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
      <div
        ref={body}
        class="event-rows"
        role="rowgroup"
        tabIndex={-1}
        onScroll={({ currentTarget }) => {
          scrolled.value = currentTarget.scrollTop;
        }}
      >
        <div class="event-space" role="presentation" ref={(element) => setHeight(element, height)}>
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
                onChoose={() => {
                  selected.value = index;
                  grid.current?.focus({ preventScroll: true });
                }}
                onOpen={() => onOpen(index)}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** For each event its row from 1 on, 0 where it is not shown. */
function placesOf(rows: Uint32Array, events: number): Uint32Array {
  const places = new Uint32Array(events);
  for (let row = 0; row < rows.length; row++) places[rows[row] ?? 0] = row + 1;
  return places;
}

type ColumnHeadProps = {
  readonly text: string;
  readonly order: "asc" | "desc" | null;
  readonly onClick: () => void;
};

function ColumnHead({ text, order, onClick }: ColumnHeadProps) {
  const sorted = order === "asc" ? "ascending" : order === "desc" ? "descending" : "none";
  return (
    <div role="columnheader" aria-sort={sorted}>
      <button type="button" class="plain" onClick={onClick}>
        {text}
        <span aria-hidden="true">{order === "asc" ? " ▲" : order === "desc" ? " ▼" : ""}</span>
      </button>
    </div>
  );
}

function setHeight(element: HTMLElement | null, height: number): void {
  if (element) element.style.height = `${height}px`;
}

// biome-ignore-all lint/a11y/useSemanticElements: rows are laid out by place, which tables are not.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid keeps the focus and names the chosen row: a row goes when it leaves the view.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type EventColumns, locatedAt, timeAt } from "../../model/event-columns.ts";
import type { SortColumn } from "../../model/work-state.ts";
import { useSize } from "../../ui/listen.ts";
import { ariaSort, SortButton } from "../../ui/table.tsx";
import { Aligned } from "../../ui/text/aligned.tsx";
import { counted, time } from "../../ui/text/format.ts";
import { tooltipOf } from "../../ui/text/moment.tsx";
import { Where } from "../../ui/text/where.tsx";
import { betweenRows } from "./filters/filters.ts";
import { ordered, rowsInView, scrollTo, shownOf } from "./table-rows.ts";
import type { Shown } from "./work.ts";

/** Two lines, of which the second says where (work.css). */
const ROW_HEIGHT = 46;
/** Of the view before it is measured. */
const FIRST_HEIGHT = 400;

/** The events as a grid of which only the rows in view are drawn; arrow keys walk through it. */
export function EventTable({ columns, indexes, selected, state, change, select, onOpen }: Shown) {
  const { sort, order } = state;
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
    const view = body.current;
    if (!view || chosenRow < 0) return;
    const { clientHeight, scrollTop } = view;
    view.scrollTop = scrollTo(chosenRow, rows.length, ROW_HEIGHT, clientHeight, scrollTop);
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
  /** A click with Shift filters: the rows from the chosen one to this. */
  const choose = (index: number, isRange: boolean) => {
    if (isRange && chosen !== null && chosenRow >= 0) {
      const selection = betweenRows(columns, sort, chosen, index);
      if (selection !== null) select(selection, "chosen");
    } else selected.value = index;
    grid.current?.focus({ preventScroll: true });
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
      <div class="event-head" role="row" aria-rowindex={1}>
        {COLUMNS.map(([name, text]) => {
          const own = name === sort ? order : null;
          return (
            <div key={name} class="sortable" role="columnheader" aria-sort={ariaSort(own)}>
              <SortButton
                text={text}
                order={own}
                onSort={() => change({ sort: name, order: own === "desc" ? "asc" : "desc" })}
              />
            </div>
          );
        })}
      </div>
      <div
        ref={body}
        class="event-rows"
        role="rowgroup"
        tabIndex={-1}
        onScroll={({ currentTarget }) => (scrolled.value = currentTarget.scrollTop)}
      >
        <div class="event-space" role="presentation" style={{ height: `${inView.height}px` }}>
          {rows.length === 0 && (
            <div role="row" class="no-rows">
              <span role="gridcell">No event passes the filters.</span>
            </div>
          )}
          {Array.from({ length: inView.count }, (_, n) => {
            const row = inView.first + n;
            const index = rows[row] ?? 0;
            return (
              <EventRow
                key={row}
                row={row}
                top={inView.top + n * ROW_HEIGHT}
                index={index}
                columns={columns}
                isSelected={index === chosen}
                onChoose={(isRange) => choose(index, isRange)}
                onOpen={() => onOpen(index)}
              />
            );
          })}
        </div>
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

/** For each event its row from 1 on, 0 where it is not shown. */
function placesOf(rows: Uint32Array, events: number): Uint32Array {
  const places = new Uint32Array(events);
  for (let row = 0; row < rows.length; row++) places[rows[row] ?? 0] = row + 1;
  return places;
}

const COLUMNS: readonly (readonly [name: SortColumn, text: string])[] = [
  ["time", "Time, UTC"],
  ["magnitude", "Mag."],
  ["depth", "Depth, km"],
  ["latitude", "Lat., °"],
  ["longitude", "Lon., °"],
];

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

function EventRow(props: EventRowProps) {
  const { row, top, index, columns, isSelected, onChoose, onOpen } = props;
  const at = timeAt(columns, index);
  const arrivals = columns.numbers("arrivals")?.[index] ?? 0;
  const more = arrivals > 0 && counted(arrivals, "arrival");
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
        {more && (
          <span class="arrivals-mark" role="img" aria-label={more} title={more}>
            ∿
          </span>
        )}
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

function rowId(row: number): string {
  return `event-row-${row}`;
}

// biome-ignore-all lint/a11y/useSemanticElements: rows are laid out by place, which tables are not.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid keeps the focus.
import { type EventColumns, locatedAt, timeAt } from "../../../model/event-columns.ts";
import { Aligned } from "../../../ui/text/aligned.tsx";
import { counted, time } from "../../../ui/text/format.ts";
import { tooltipOf } from "../../../ui/text/moment.tsx";
import { Where } from "../../../ui/text/where.tsx";

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
export function EventRow(props: EventRowProps) {
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

export function rowId(row: number): string {
  return `event-row-${row}`;
}

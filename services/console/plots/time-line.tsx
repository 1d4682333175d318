import { useMemo, useRef } from "preact/hooks";
import type { EventColumns } from "../model/event-columns.ts";
import { useSize } from "../ui/use-size.ts";
import { stretchOf } from "./chart/time-bins.ts";
import { TimeBars } from "./time-bars.tsx";
import type { Moved } from "./use-brush.ts";
import { useBrush } from "./use-brush.ts";
import { type Range, usePlayer } from "./use-time-range.ts";

/** Pixels of a bar. */
const BAR = 4;
const LEAST_WIDTH = 100;
/** Before it is measured. */
const FIRST_WIDTH = 800;

type TimeLineProps = {
  readonly columns: EventColumns;
  /** Indexes of the events that pass the filters; null for all. */
  readonly indexes: Uint32Array | null;
  /** The chosen range, ISO 8601; null where it is open. */
  readonly from: string | null;
  readonly to: string | null;
  readonly onRange: (range: Range | null, how: Moved) => void;
  /** A drag was given up. */
  readonly onCancel: () => void;
};

/** How many events there are along time; a drag chooses a range, a double click all. */
export function TimeLine({ columns, indexes, from, to, onRange, onCancel }: TimeLineProps) {
  const element = useRef<HTMLDivElement>(null);
  const width = Math.max(LEAST_WIDTH, useSize(element).value.width || FIRST_WIDTH);
  const stretch = useMemo(() => stretchOf(columns.time), [columns]);
  const bins = Math.max(10, Math.floor(width / BAR));
  const chosen = rangeOf(from, to, stretch);
  const barMs = (stretch[1] - stretch[0]) / bins;
  const player = usePlayer({ stretch, barMs, chosen, choose: onRange });
  const at = (share: number) => stretch[0] + share * (stretch[1] - stretch[0]);
  const { wasDragged: _, ...brush } = useBrush({
    along: "x",
    onBrush: ({ x }, how) => onRange([at(x[0]), at(x[1])], how),
    onCancel,
  });
  const onKey = (event: KeyboardEvent) => {
    const [begin, end] = chosen ?? stretch;
    const step = event.shiftKey ? 10 * barMs : barMs;
    if (event.key === "ArrowRight") onRange([begin + step, end + step], "stepped");
    else if (event.key === "ArrowLeft") onRange([begin - step, end - step], "stepped");
    else if (event.key === "Escape") onRange(null, "chosen");
    else return;
    event.preventDefault();
  };
  return (
    <div class="time-line">
      <button type="button" aria-pressed={player.isPlaying} onClick={player.toggle}>
        {player.isPlaying ? "Pause" : "Play"}
      </button>
      {/* biome-ignore lint/a11y/useSemanticElements: a range with two ends, which no input has. */}
      <div
        ref={element}
        class="time-bars"
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows move the range.
        tabIndex={0}
        aria-label="Events along time, UTC; drag to choose a range, arrows move it, Escape takes it away"
        {...brush}
        onDblClick={() => onRange(null, "chosen")}
        onKeyDown={onKey}
      >
        <TimeBars {...{ columns, indexes, stretch, bins, width, chosen }} />
      </div>
    </div>
  );
}

function rangeOf(from: string | null, to: string | null, stretch: Range): Range | null {
  if (from === null && to === null) return null;
  const [begin, end] = [Date.parse(from ?? ""), Date.parse(to ?? "")];
  return [Number.isNaN(begin) ? stretch[0] : begin, Number.isNaN(end) ? stretch[1] : end];
}

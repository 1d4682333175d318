import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { barsPath, timeTicks } from "#contracts/plots/scale.ts";
import type { EventColumns } from "../model/event-columns.ts";
import { useSize } from "../ui/listen.ts";
import { Button } from "../ui/page.tsx";
import { counted, duration } from "../ui/text/format.ts";
import { stretchOf, timeBins } from "./histogram.ts";
import { type Moved, useBrush } from "./use-brush.ts";

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
      <Button
        aria-pressed={player.isPlaying}
        onClick={player.toggle}
        text={player.isPlaying ? "Pause" : "Play"}
      />
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

/** Of the line that tells how many events the highest bar has. */
const TOP = 16;
const HEIGHT = 72;
/** Between two marks of the axis at least, pixels. */
const TICK = 90;

type TimeBarsProps = Pick<TimeLineProps, "columns" | "indexes"> & {
  readonly stretch: Range;
  readonly bins: number;
  readonly width: number;
  readonly chosen: Range | null;
};

/** Numbers of the events that are shown, those of all behind them in grey; the chosen range, and an axis. */
function TimeBars({ columns, indexes, stretch, bins, width, chosen }: TimeBarsProps) {
  const all = useMemo(() => timeBins(columns.time, null, stretch, bins), [columns, bins]);
  const some = useMemo(
    () => (indexes ? timeBins(columns.time, indexes, stretch, bins) : all),
    [indexes, all],
  );
  const highest = Math.max(0, ...some);
  const [from, to] = stretch;
  const x = (at: number) => ((at - from) / (to - from)) * width;
  return (
    <svg
      width={width}
      height={TOP + HEIGHT + 18}
      viewBox={`0 ${-TOP} ${width} ${TOP + HEIGHT + 18}`}
      aria-hidden="true"
    >
      <path class="all" d={pathOf(all, width)} />
      <path class="some" d={pathOf(some, width)} />
      {chosen && (
        <rect
          class="range"
          x={x(chosen[0])}
          width={Math.max(1, x(chosen[1]) - x(chosen[0]))}
          height={HEIGHT}
        />
      )}
      {timeTicks(from, to, Math.max(2, width / TICK)).map(({ at, label }) => (
        <g key={at} transform={`translate(${x(at)} ${HEIGHT})`}>
          <line y2="4" />
          <text y="15" text-anchor={anchorOf(x(at), width)}>
            {label}
          </text>
        </g>
      ))}
      <text x="2" y={11 - TOP}>
        {highest > 0 &&
          `${highest > 1 ? "at most " : ""}${counted(highest, "event")} in ${duration((to - from) / bins / 1_000)}`}
      </text>
    </svg>
  );
}

/** Bars of a scale of their own: on that of all, a few of many would be a line. The smallest is still seen. */
function pathOf(counts: Uint32Array, width: number): string {
  const bar = width / counts.length;
  const most = Math.max(0, ...counts);
  const bars = Array.from(counts, (n, i) => {
    const top = n === 0 ? HEIGHT : Math.min(HEIGHT - 1.5, HEIGHT * (1 - n / most));
    return [i * bar, (i + 1) * bar, top, HEIGHT] as const;
  });
  return barsPath(bars, bar);
}

/** Marks near the ends have their text inside. */
function anchorOf(x: number, width: number): "start" | "middle" | "end" {
  if (x < TICK / 2) return "start";
  return x > width - TICK / 2 ? "end" : "middle";
}

/** Steps a second while it plays, each a bar. */
const STEPS_A_SECOND = 12;
/** The range that is played where none was chosen, bars. */
const FIRST_BARS = 20;

/** Milliseconds since 1970. */
type Range = readonly [from: number, to: number];

type Playing = {
  /** From the first event to the last. */
  readonly stretch: Range;
  readonly barMs: number;
  readonly chosen: Range | null;
  readonly choose: (range: Range | null, how: Moved) => void;
};

/** Moves the chosen range along time, bar by bar, until it has come to the end. */
function usePlayer({ stretch: [first, last], barMs, chosen, choose }: Playing) {
  const isPlaying = useSignal(false);
  const beginning = [first, first + FIRST_BARS * barMs] as const;
  const pause = () => {
    isPlaying.value = false;
    choose(chosen, "stepped");
  };
  const step = useRef(pause);
  step.current = () => {
    const [begin, end] = chosen ?? beginning;
    if (end >= last) pause();
    else choose([begin + barMs, Math.min(last, end + barMs)], "moving");
  };
  useEffect(() => {
    if (!isPlaying.value) return;
    const timer = setInterval(() => step.current(), 1_000 / STEPS_A_SECOND);
    return () => clearInterval(timer);
  }, [isPlaying.value]);
  const toggle = () => {
    if (isPlaying.value) return pause();
    isPlaying.value = true;
    // From the end there is nowhere to go.
    if (chosen && chosen[1] >= last) choose(beginning, "moving");
  };
  return { isPlaying: isPlaying.value, toggle };
}

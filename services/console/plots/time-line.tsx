import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { EventColumns } from "../model/event-columns.ts";
import { count } from "../ui/text/format.ts";
import { stretchOf, timeBins, timeTicks } from "./time-bins.ts";

const HEIGHT = 72;
/** Pixels of a bar. */
const BAR = 4;
/** Between two marks of the axis at least, pixels. */
const TICK = 90;
/** A drag shorter than this is a click. */
const LEAST = 3;
/** Steps a second while it plays, each a bar. */
const STEPS_A_SECOND = 12;
/** The range that is played where none was chosen, bars. */
const FIRST_BARS = 20;

type TimeLineProps = {
  readonly columns: EventColumns;
  /** Indexes of the events that pass the filters; null for all. */
  readonly shown: Uint32Array | null;
  /** The chosen range, ISO 8601; null where it is open. */
  readonly from: string | null;
  readonly to: string | null;
  readonly onRange: (range: readonly [string, string] | null, how: Moved) => void;
  /** A drag was given up. */
  readonly onCancel: () => void;
};

/** While it is dragged or played, as a choice, or by one step of many. */
export type Moved = "moving" | "chosen" | "stepped";

type Range = readonly [from: number, to: number];

/** How many events there are along time; a drag chooses a range, a double click all. */
export function TimeLine({ columns, shown, from, to, onRange, onCancel }: TimeLineProps) {
  const element = useRef<HTMLDivElement>(null);
  const width = useSignal(800);
  const isPlaying = useSignal(false);
  const stretch = useMemo(() => stretchOf(columns.time), [columns]);
  const bins = Math.max(10, Math.floor(width.value / BAR));
  const all = useMemo(() => timeBins(columns.time, null, stretch, bins), [columns, bins]);
  const some = useMemo(
    () => (shown ? timeBins(columns.time, shown, stretch, bins) : all),
    [shown, all],
  );
  useEffect(() => {
    if (!element.current) return;
    const resized = new ResizeObserver(([entry]) => {
      width.value = Math.max(100, entry?.contentRect.width ?? 800);
    });
    resized.observe(element.current);
    return () => resized.disconnect();
  }, []);
  const chosen = rangeOf(from, to, stretch);
  const barMs = (stretch[1] - stretch[0]) / bins;
  const choose = (range: Range | null, how: Moved) =>
    onRange(range && [isoOf(range[0]), isoOf(range[1])], how);
  const beginning = [stretch[0], stretch[0] + FIRST_BARS * barMs] as const;
  const play = () => {
    isPlaying.value = true;
    // From the end there is nowhere to go.
    if (chosen && chosen[1] >= stretch[1]) choose(beginning, "moving");
  };
  const pause = () => {
    isPlaying.value = false;
    choose(chosen, "stepped");
  };
  usePlaying(isPlaying.value, () => {
    const [begin, end] = chosen ?? beginning;
    if (end >= stretch[1]) pause();
    else choose([begin + barMs, Math.min(stretch[1], end + barMs)], "moving");
  });
  const drag = useDrag(stretch, width.value, choose, onCancel);
  const onKey = (event: KeyboardEvent) => {
    const [begin, end] = chosen ?? stretch;
    const step = event.shiftKey ? 10 * barMs : barMs;
    if (event.key === "ArrowRight") choose([begin + step, end + step], "stepped");
    else if (event.key === "ArrowLeft") choose([begin - step, end - step], "stepped");
    else if (event.key === "Escape") choose(null, "chosen");
    else return;
    event.preventDefault();
  };
  const most = Math.max(1, ...all.counts);
  const x = (at: number) => ((at - stretch[0]) / (stretch[1] - stretch[0])) * width.value;
  return (
    <div class="time-line">
      <button
        type="button"
        aria-pressed={isPlaying.value}
        onClick={() => {
          if (isPlaying.value) pause();
          else play();
        }}
      >
        {isPlaying.value ? "Pause" : "Play"}
      </button>
      {/* biome-ignore lint/a11y/useSemanticElements: a range with two ends, which no input has. */}
      <div
        ref={element}
        class="time-bars"
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows move the range.
        tabIndex={0}
        aria-label="Events along time, UTC; drag to choose a range, arrows move it, Escape takes it away"
        onPointerDown={drag.begin}
        onPointerMove={drag.move}
        onPointerUp={drag.end}
        onPointerCancel={drag.cancel}
        onDblClick={() => choose(null, "chosen")}
        onKeyDown={onKey}
      >
        <svg width={width.value} height={HEIGHT + 18} aria-hidden="true">
          <Bars counts={all.counts} most={most} width={width.value} class="all" />
          <Bars counts={some.counts} most={most} width={width.value} class="some" />
          {chosen && (
            <rect
              class="range"
              x={x(chosen[0])}
              y={0}
              width={Math.max(1, x(chosen[1]) - x(chosen[0]))}
              height={HEIGHT}
            />
          )}
          {timeTicks(stretch[0], stretch[1], Math.max(2, width.value / TICK)).map(
            ({ at, label }) => (
              <g key={at} transform={`translate(${x(at)} ${HEIGHT})`}>
                <line y2="4" />
                <text y="15" text-anchor={anchorOf(x(at), width.value)}>
                  {label}
                </text>
              </g>
            ),
          )}
          <text x="2" y="11">
            {count(most)}
          </text>
        </svg>
      </div>
    </div>
  );
}

type BarsProps = {
  readonly counts: Uint32Array;
  readonly most: number;
  readonly width: number;
  readonly class: string;
};

/** All bars as one path; the smallest number is still seen. */
function Bars({ counts, most, width, class: name }: BarsProps) {
  const bar = width / counts.length;
  let path = "";
  for (let i = 0; i < counts.length; i++) {
    const n = counts[i] ?? 0;
    if (n === 0) continue;
    const height = Math.max(1.5, (n / most) * HEIGHT);
    path += `M${(i * bar).toFixed(1)} ${HEIGHT}v${(-height).toFixed(1)}h${(bar * 0.9).toFixed(1)}v${height.toFixed(1)}z`;
  }
  return <path class={name} d={path} />;
}

/** A range by dragging; what lies under it is shown while it is dragged. */
function useDrag(
  stretch: Range,
  width: number,
  choose: (range: Range, how: Moved) => void,
  onCancel: () => void,
) {
  const began = useRef<number | null>(null);
  const dragged = useRef<Range | null>(null);
  const at = (event: PointerEvent) => {
    const { left } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const share = Math.max(0, Math.min(1, (event.clientX - left) / width));
    return stretch[0] + share * (stretch[1] - stretch[0]);
  };
  const stop = () => {
    const range = dragged.current;
    began.current = null;
    dragged.current = null;
    return range;
  };
  return {
    begin: (event: PointerEvent) => {
      if (!event.isPrimary || event.button !== 0) return;
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      began.current = at(event);
    },
    move: (event: PointerEvent) => {
      if (began.current === null) return;
      const now = at(event);
      const least = (LEAST / width) * (stretch[1] - stretch[0]);
      if (dragged.current === null && Math.abs(now - began.current) < least) return;
      const range = [Math.min(began.current, now), Math.max(began.current, now)] as const;
      dragged.current = range;
      choose(range, "moving");
    },
    end: () => {
      const range = stop();
      if (range) choose(range, "chosen");
    },
    /** A touch that turned out to scroll the page. */
    cancel: () => {
      if (stop()) onCancel();
    },
  };
}

function usePlaying(isPlaying: boolean, step: () => void): void {
  const latest = useRef(step);
  latest.current = step;
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => latest.current(), 1_000 / STEPS_A_SECOND);
    return () => clearInterval(timer);
  }, [isPlaying]);
}

function rangeOf(from: string | null, to: string | null, stretch: Range): Range | null {
  if (from === null && to === null) return null;
  const [begin, end] = [Date.parse(from ?? ""), Date.parse(to ?? "")];
  return [Number.isNaN(begin) ? stretch[0] : begin, Number.isNaN(end) ? stretch[1] : end];
}

/** Marks near the ends have their text inside. */
function anchorOf(x: number, width: number): "start" | "middle" | "end" {
  if (x < TICK / 2) return "start";
  return x > width - TICK / 2 ? "end" : "middle";
}

/** Whole seconds, which addresses are short with. */
function isoOf(ms: number): string {
  return new Date(Math.round(ms / 1_000) * 1_000).toISOString().replace(".000Z", "Z");
}

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

/** A drag shorter than this is a click. */
const LEAST = 3;
/** Steps a second while it plays, each a bar. */
const STEPS_A_SECOND = 12;
/** The range that is played where none was chosen, bars. */
const FIRST_BARS = 20;

/** While it is dragged or played, as a choice, or by one step of many. */
export type Moved = "moving" | "chosen" | "stepped";

/** Milliseconds since 1970. */
export type Range = readonly [from: number, to: number];

type Playing = {
  /** From the first event to the last. */
  readonly stretch: Range;
  readonly barMs: number;
  readonly chosen: Range | null;
  readonly choose: (range: Range | null, how: Moved) => void;
};

/** Moves the chosen range along time, bar by bar, until it has come to the end. */
export function usePlayer({ stretch, barMs, chosen, choose }: Playing) {
  const isPlaying = useSignal(false);
  const beginning = [stretch[0], stretch[0] + FIRST_BARS * barMs] as const;
  const pause = () => {
    isPlaying.value = false;
    choose(chosen, "stepped");
  };
  usePlaying(isPlaying.value, () => {
    const [begin, end] = chosen ?? beginning;
    if (end >= stretch[1]) pause();
    else choose([begin + barMs, Math.min(stretch[1], end + barMs)], "moving");
  });
  const toggle = () => {
    if (isPlaying.value) return pause();
    isPlaying.value = true;
    // From the end there is nowhere to go.
    if (chosen && chosen[1] >= stretch[1]) choose(beginning, "moving");
  };
  return { isPlaying: isPlaying.value, toggle };
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

/** A range by dragging; what lies under it is shown while it is dragged. */
export function useDrag(
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

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Moved } from "./use-brush.ts";

/** Steps a second while it plays, each a bar. */
const STEPS_A_SECOND = 12;
/** The range that is played where none was chosen, bars. */
const FIRST_BARS = 20;

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

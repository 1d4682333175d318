import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import {
  countElements,
  type ElementCounts,
  type ElementKind,
  type ElementTallies,
  type ElementTally,
} from "#contracts/bulletin/element-counts.ts";

type Outcome = "kept" | "dropped";

/** Counts what a file's events have by kind, and what of it becomes a row's bulletin. */
export function createElementTally() {
  const tallies: { [K in ElementKind]?: ElementTally } = {};

  function add(kind: ElementKind, count: number, outcome: Outcome): void {
    if (count === 0) return;
    const tally = tallies[kind] ?? { read: 0, kept: 0, dropped: 0 };
    tallies[kind] = { ...tally, read: tally.read + count, [outcome]: tally[outcome] + count };
  }

  function addEvent(counts: ElementCounts | null, outcome: Outcome): void {
    add("event", 1, outcome);
    if (counts === null) return;
    for (const [kind, count] of Object.entries(counts)) add(kind as ElementKind, count, outcome);
  }

  return {
    /** An event with so many elements. */
    add: addEvent,
    keep: (bulletin: Bulletin): void => addEvent(countElements(bulletin), "kept"),
    /** An event that makes no row, with all its parts; null where they cannot be read. */
    drop: (bulletin: Bulletin | null): void =>
      addEvent(bulletin && countElements(bulletin), "dropped"),
    tallies: (): ElementTallies => tallies,
  };
}

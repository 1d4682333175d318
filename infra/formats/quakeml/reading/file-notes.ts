import {
  ELEMENT_KINDS,
  type ElementKind,
  type ElementTallies,
} from "#contracts/bulletin/element-counts.ts";
import type { OpenObject } from "./foreign-of-object.ts";
import { referenceFaults } from "./reference-walk.ts";

type Note = { count: number; readonly line: number };

/** Counts the elements of a file, and what is doubtful in them: told once a file, from the first line. */
export function createFileNotes() {
  const read = new Map<ElementKind, number>();
  const kept = new Map<ElementKind, number>();
  const notes = new Map<string, Note>();

  function note(text: string, count: number, line: number): void {
    const present = notes.get(text);
    if (present === undefined) notes.set(text, { count, line });
    else present.count += count;
  }

  function addCounts(to: Map<ElementKind, number>, counts: readonly number[]): void {
    for (const [i, kind] of ELEMENT_KINDS.entries()) {
      const count = counts[i] ?? 0;
      if (count > 0) to.set(kind, (to.get(kind) ?? 0) + count);
    }
  }

  function elements(): ElementTallies {
    const tallies: ElementTallies = {};
    for (const kind of ELEMENT_KINDS) {
      const all = read.get(kind);
      if (all === undefined) continue;
      const stayed = kept.get(kind) ?? 0;
      tallies[kind] = { read: all, kept: stayed, dropped: all - stayed };
    }
    return tallies;
  }

  return {
    note,
    read: (counts: readonly number[]) => addCounts(read, counts),
    kept: (counts: readonly number[]) => addCounts(kept, counts),
    /** An element that is skipped. */
    skipped(name: string): void {
      const kind = ELEMENT_KINDS.find((known) => known === name.slice(name.indexOf(":") + 1));
      if (kind !== undefined) read.set(kind, (read.get(kind) ?? 0) + 1);
    },
    /** Values that QuakeML does not allow where they stand. */
    faults(members: readonly string[], line: number): void {
      for (const member of members) {
        note(`values of ${member} that QuakeML does not have there, kept as foreign`, 1, line);
      }
    },
    references(event: OpenObject, line: number): void {
      const { dangling, repeated } = referenceFaults(event);
      for (const [kind, count] of dangling) {
        note(`references to an element ${kind} that is not in the event, kept`, count, line);
      }
      for (const [kind, count] of repeated) {
        const text = `publicIDs that an element ${kind} before has, kept: references mean the first`;
        note(text, count, line);
      }
    },
    elements,
    tell(warning: (line: number, message: string) => void): void {
      for (const [text, { count, line }] of notes) warning(line, `${text} (${count})`);
      const dropped = Object.entries(elements()).filter(([, tally]) => tally.dropped > 0);
      if (dropped.length === 0) return;
      const list = dropped.map(([kind, tally]) => `${kind} ${tally.dropped}`).join(", ");
      warning(1, `not kept: ${list}; the errors say why`);
    },
  };
}

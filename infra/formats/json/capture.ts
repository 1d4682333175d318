/** A stretch of a text in pieces, collected until it is complete. */
export type Capture = {
  /** Starts at an index of the current piece. */
  readonly begin: (index: number) => void;
  /** Ends the stretch at an index of the current piece and returns it; null when it was too long. */
  readonly take: (piece: string, end: number) => string | null;
  readonly drop: () => void;
  /** Called at the end of a piece: an open stretch continues in the next one. */
  readonly carry: (piece: string) => void;
};

/** Holds at most `maxLength` UTF-16 units; longer stretches are dropped. */
export function createCapture(maxLength: number): Capture {
  let start = -1;
  let held = "";
  let tooLong = false;

  function drop(): void {
    start = -1;
    held = "";
    tooLong = false;
  }

  return {
    begin(index) {
      drop();
      start = index;
    },
    take(piece, end) {
      const complete = !tooLong && start !== -1 && held.length + end - start <= maxLength;
      const text = complete ? held + piece.slice(start, end) : null;
      drop();
      return text;
    },
    drop,
    carry(piece) {
      if (start === -1) return;
      if (tooLong || held.length + piece.length - start > maxLength) {
        tooLong = true;
        held = "";
      } else held += piece.slice(start);
      start = 0;
    },
  };
}

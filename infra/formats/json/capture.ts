/** A stretch of a text that comes in pieces, held until it is complete. */
export type Capture = {
  /** Begins at an index of the current piece. */
  readonly begin: (index: number) => void;
  /** Gives the stretch up to an index of the current piece and ends it; null when it was too long. */
  readonly take: (piece: string, end: number) => string | null;
  readonly drop: () => void;
  /** The piece ends: what is begun goes on with the next one. */
  readonly carry: (piece: string) => void;
};

/** Holds `maxLength` UTF-16 units at most, and nothing of what is longer. */
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

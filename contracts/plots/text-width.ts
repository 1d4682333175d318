const NARROW = /[ ijlftrI.,:;|'()[\]·]/g;
const WIDE = /[mwA-Z@%—]/g;

/** About how wide a text is, in units of its font's size: within a tenth for the usual sans-serifs. */
export function textWidth(text: string): number {
  const narrow = text.match(NARROW)?.length ?? 0;
  const wide = text.match(WIDE)?.length ?? 0;
  return 0.5 * text.length - 0.23 * narrow + 0.11 * wide;
}

/**
 * Breaks a text into lines at its spaces, and a longer word, as addresses are, where the line is full.
 * @param width as `textWidth`
 */
export function linesOf(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    const longer = line === undefined ? word : `${line} ${word}`;
    if (line !== undefined && textWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(...piecesOf(word, width));
  }
  return lines;
}

function piecesOf(word: string, width: number): string[] {
  const pieces = [""];
  for (const letter of word) {
    const longer = `${pieces.at(-1)}${letter}`;
    if (pieces.at(-1) === "" || textWidth(longer) <= width) pieces[pieces.length - 1] = longer;
    else pieces.push(letter);
  }
  return pieces;
}

/** Limits of the sample: lines with data, and characters. */
const SAMPLE_LINES = 20;
const MAX_SAMPLE_LENGTH = 1024 * 1024;

/** A non-blank line at a file's head. `text` has no comment marks. */
export type SampleLine = {
  readonly number: number;
  /** Offset of `text` in the file, in characters. */
  readonly offset: number;
  readonly text: string;
  readonly comment: boolean;
  /** Characters of the comment marks before `text`. */
  readonly marks: number;
};

/** The cells of the lines with data. */
export type SampleRows = readonly (readonly string[])[];

/** The lines at a file's head, whatever text follows; null when `text` is still too short. */
export function takeSample(text: string, last: boolean): SampleLine[] | null {
  const atLimit = text.length >= MAX_SAMPLE_LENGTH;
  const head = atLimit ? text.slice(0, MAX_SAMPLE_LENGTH) : text;
  const lines: SampleLine[] = [];
  let data = 0;
  let number = 1;
  let at = 0;
  for (const { 0: end, index } of head.matchAll(/\r\n?|\n|$/g)) {
    // If more text follows, the last line is unfinished, and a CR may be half of a CRLF.
    const goesOn = end === "" || (end === "\r" && index === head.length - 1);
    if (goesOn && (atLimit ? data > 0 : !last)) break;
    const line = lineOf(head, at, index, number);
    if (line !== null) lines.push(line);
    if (line?.comment === false) data++;
    if (data === SAMPLE_LINES) break;
    number++;
    at = index + end.length;
  }
  return data < SAMPLE_LINES && !atLimit && !last ? null : lines;
}

function lineOf(text: string, at: number, end: number, number: number): SampleLine | null {
  const whole = text.slice(at, end);
  const marks = /^#[# ]*/.exec(whole)?.[0].length ?? 0;
  const line = whole.slice(marks);
  return line.trim() === ""
    ? null
    : { number, offset: at + marks, text: line, comment: marks > 0, marks };
}

/** Lines with data that the shape of a file is found from, and characters at most. */
const SAMPLE_LINES = 20;
const MAX_SAMPLE_LENGTH = 1024 * 1024;

/** A line at the head of a file that is not blank. `text` is without the marks of a comment. */
export type SampleLine = {
  readonly number: number;
  /** Where `text` begins in the file, in characters. */
  readonly offset: number;
  readonly text: string;
  readonly comment: boolean;
};

/**
 * The lines at the head of a file, null when `text` does not reach far enough yet. The answer is the
 * same however much text follows.
 */
export function takeSample(text: string, last: boolean): SampleLine[] | null {
  const atLimit = text.length >= MAX_SAMPLE_LENGTH;
  const head = atLimit ? text.slice(0, MAX_SAMPLE_LENGTH) : text;
  const lines: SampleLine[] = [];
  let data = 0;
  let number = 1;
  let at = 0;
  for (const { 0: end, index } of head.matchAll(/\r\n?|\n|$/g)) {
    // Where more follows, the last line goes on, and so may a CR as CRLF.
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
  return line.trim() === "" ? null : { number, offset: at + marks, text: line, comment: marks > 0 };
}

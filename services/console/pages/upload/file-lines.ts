const BREAK = /\r\n|\n|\r/;

/**
 * Some lines of a text that comes in pieces, by their numbers from 1. Reads no further than the last
 * that is wanted.
 */
export async function pickLines(
  pieces: AsyncIterable<string> | Iterable<string>,
  wanted: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  const last = Math.max(0, ...wanted);
  let number = 0;
  const take = (line: string) => {
    number += 1;
    if (wanted.has(number)) found.set(number, line);
  };
  let rest = "";
  for await (const piece of pieces) {
    const text = rest + piece;
    // What follows a carriage return at the end decides whether the line ends after it.
    const end = text.endsWith("\r") ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(BREAK);
    rest = (lines.pop() ?? "") + text.slice(end);
    for (const line of lines) take(line);
    if (number >= last) return found;
  }
  for (const line of rest.split(BREAK)) take(line);
  return found;
}

/** The text of a file in pieces; UTF-16 by its mark, all else as UTF-8. */
export async function* textOf(file: Blob): AsyncGenerator<string> {
  const mark = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const encoding = markedEncoding(mark);
  const reader = file.stream().pipeThrough(new TextDecoderStream(encoding)).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

function markedEncoding([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return "utf-8";
}

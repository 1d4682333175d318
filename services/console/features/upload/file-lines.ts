/** Ends a line; a carriage return at the end of a piece waits for what follows it. */
const BREAK = /\r\n|\n|\r(?!$)/g;

/**
 * Some lines of a text that comes in pieces, by their numbers from 1, cut after so many characters. Reads
 * no further than the last that is wanted, each piece once, and holds no more of the text than the lines.
 */
export async function pickLines(
  pieces: AsyncIterable<string> | Iterable<string>,
  wanted: ReadonlySet<number>,
  longest: number,
): Promise<ReadonlyMap<number, string>> {
  const lines = new Map<number, string>();
  const last = Math.max(0, ...wanted);
  let number = 1;
  const take = (text: string) => {
    const line = lines.get(number) ?? "";
    if (wanted.has(number)) lines.set(number, line + text.slice(0, longest - line.length));
  };
  take("");
  let isReturned = false;
  for await (const piece of pieces) {
    const text: string = isReturned ? `\r${piece}` : piece;
    isReturned = text.endsWith("\r");
    let start = 0;
    for (const { index, 0: ending } of text.matchAll(BREAK)) {
      take(text.slice(start, index));
      start = index + ending.length;
      number += 1;
      if (number > last) return lines;
    }
    take(text.slice(start, isReturned ? -1 : undefined));
  }
  if (isReturned) {
    number += 1;
    take("");
  }
  return lines;
}

/** The text of a file in pieces; where no encoding is named UTF-16 by its mark, all else as UTF-8. */
export async function* textOf(file: Blob, named: string): AsyncGenerator<string> {
  const mark = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const encoding = named || markedEncoding(mark);
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

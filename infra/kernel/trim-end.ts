/** Without trailing `character`s. A pattern such as `/0+$/` would try each run from each place. */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/**
 * The text without trailing occurrences of `character`. A pattern such as `/0+$/` would try each run
 * in the text from each of its characters.
 */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

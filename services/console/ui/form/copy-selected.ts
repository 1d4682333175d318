/**
 * Copies a text that has just been selected on the page: without https the browser gives its
 * clipboard for what is selected alone.
 * @returns whether it was copied
 */
export async function copySelected(text: string): Promise<boolean> {
  if (navigator.clipboard === undefined) return document.execCommand("copy");
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}

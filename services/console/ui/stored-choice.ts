/** What was chosen here before; null without, or where the browser keeps nothing for pages. */
export function storedChoice(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a choice for the next visit, where the browser lets pages keep something; null forgets it. */
export function storeChoice(key: string, choice: string | null): void {
  try {
    if (choice === null) localStorage.removeItem(key);
    else localStorage.setItem(key, choice);
  } catch {
    // It holds until the page is left.
  }
}

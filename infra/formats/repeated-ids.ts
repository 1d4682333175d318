import { createTextIndex } from "../files/text-index.ts";

/** Most ids remembered; further ones are not checked. */
const MAX_REMEMBERED = 500_000;

/** Tells of each id of a file whether it was there before. */
export function createRepeatedIds(): (id: string) => boolean {
  const ids = createTextIndex();
  let remembered = 0;
  return (id) => {
    if (ids.numbersOf(id).length > 0) return true;
    if (remembered < MAX_REMEMBERED) ids.add(id, remembered++);
    return false;
  };
}

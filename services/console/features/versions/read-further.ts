import { type Change, type ChangeKind, readDiff } from "../../api/diff.ts";

/** The most that the service gives at once. */
const PAGE = 1_000;
/** After so many pages without a wanted change, the reader is asked again. */
const MAX_PAGES = 10;

type Further = {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  /** At least one change of these kinds is wanted: the service gives all kinds. */
  readonly kinds: readonly ChangeKind[];
  readonly cursor: string;
};

/**
 * The changes that follow a page of a difference.
 * @throws CallError
 */
export async function readFurther({ id, from, to, kinds, cursor }: Further): Promise<{
  readonly changes: readonly Change[];
  readonly nextCursor: string | null;
}> {
  const changes: Change[] = [];
  let nextCursor: string | null = cursor;
  for (let page = 0; page < MAX_PAGES && nextCursor !== null; page++) {
    const part = await readDiff(id, { from, to }, { limit: PAGE, cursor: nextCursor });
    changes.push(...part.changes);
    nextCursor = part.nextCursor;
    if (part.changes.some(({ change }) => kinds.includes(change))) break;
  }
  return { changes, nextCursor };
}

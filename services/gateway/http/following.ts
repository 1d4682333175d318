/** The member of a list's answer by which it is read on; none at its end. */
export function following(nextCursor: string | null): { readonly nextCursor?: string } {
  return nextCursor === null ? {} : { nextCursor };
}

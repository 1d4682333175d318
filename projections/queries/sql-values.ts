const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id; null if it is not a UUID, which then equals no id instead of failing in the database. */
export function uuidOrNull(id: string): string | null {
  return UUID.test(id) ? id : null;
}

/** From what is typed to what is sent. */
export type Codec<Value> = (typed: string) => Value;
export const text: Codec<string> = (typed) => typed.trim();
export const untouched: Codec<string> = (typed) => typed;
export const number: Codec<number> = (typed) => Number(typed);
/** A time in UTC as people write it, "2024-01-31 12:00", as ISO 8601. */
export const time: Codec<string> = (typed) => typed.trim().replace(/\s+/, "T");
/** A member for each line. */
export const lines: Codec<string[]> = (typed) =>
  typed
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** Left out where it is left empty. */
export function optional<V>(codec: Codec<V>): Codec<V | undefined> {
  return (typed) => (typed.trim() === "" ? undefined : codec(typed));
}

/** Null where it is left empty. */
export function nullable<V>(codec: Codec<V>): Codec<V | null> {
  return (typed) => (typed.trim() === "" ? null : codec(typed));
}

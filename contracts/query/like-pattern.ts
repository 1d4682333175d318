const MANY = Symbol("any text");
const ONE = Symbol("any character");

/**
 * Whether a text is as a pattern of SQL's `like` says, without an operation that grows faster than text times
 * pattern. A character is a code point.
 */
export function likePattern(pattern: string): (text: string) => boolean {
  const parts = (pattern.match(/\\?./gsu) ?? []).map((part) => {
    if (part === "%") return MANY;
    return part === "_" ? ONE : part.replace(/^\\(?=.)/su, "");
  });
  return (text) => isLike(parts, [...text]);
}

function isLike(parts: readonly (string | symbol)[], text: readonly string[]): boolean {
  let [part, at] = [0, 0];
  // Where the last MANY stands, and the end of what it takes so far.
  let [many, taken] = [-1, 0];
  while (at < text.length) {
    if (parts[part] === MANY) {
      [many, taken] = [part, at];
      part += 1;
    } else if (part < parts.length && (parts[part] === ONE || parts[part] === text[at])) {
      [part, at] = [part + 1, at + 1];
    } else if (many >= 0) {
      taken += 1;
      [part, at] = [many + 1, taken];
    } else return false;
  }
  return parts.slice(part).every((left) => left === MANY);
}

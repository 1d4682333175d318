/** JSON that keeps negative zero, which JSON.stringify writes as 0. The value must be JSON. */
export function exactJson(value: unknown): string {
  return holdsNegativeZero(value) ? write(value) : JSON.stringify(value);
}

/** Searched for first: negative zeros are rare, and the native writer is several times faster. */
function holdsNegativeZero(value: unknown): boolean {
  if (typeof value === "number") return value === 0 && 1 / value < 0;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsNegativeZero);
  return Object.values(value).some(holdsNegativeZero);
}

function write(value: unknown): string {
  if (Object.is(value, -0)) return "-0";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}:${write(item)}`,
  );
  return `{${members.join(",")}}`;
}

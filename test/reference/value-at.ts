/**
 * The value at a place in an answer: members by name, items of lists by number or by a member, as in
 * `bins[magnitude=1.7].count`; `length` of a list. Undefined where there is none.
 */
export function valueAt(answer: unknown, place: string): unknown {
  let value = answer;
  for (const step of place.split(/\.(?![^[]*\])/)) {
    const [, name = "", key, wanted] = /^([^[]*)(?:\[([^=\]]+)=?([^\]]*)\])?$/.exec(step) ?? [];
    value = memberOf(value, name);
    if (key !== undefined)
      value = wanted === "" ? memberOf(value, key) : itemWith(value, key, wanted);
  }
  return value;
}

function memberOf(value: unknown, name: string): unknown {
  return value !== null && typeof value === "object" ? Reflect.get(value, name) : undefined;
}

function itemWith(value: unknown, key: string, wanted: string | undefined): unknown {
  if (!Array.isArray(value)) return undefined;
  return value.find((item: unknown) => String(memberOf(item, key)) === wanted);
}

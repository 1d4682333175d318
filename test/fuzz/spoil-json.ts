import { hostileText, hostileValue } from "./hostile-values.ts";
import type { Random } from "./random.ts";
import { RawJson } from "./raw-json.ts";

/** The value with one of its members, at whatever depth, replaced, left out, renamed or added. */
export function spoilJson(value: unknown, random: Random): unknown {
  if (
    typeof value !== "object" ||
    value === null ||
    value instanceof RawJson ||
    random.chance(0.1)
  ) {
    return hostileValue(random);
  }
  if (Array.isArray(value)) return spoilList(value, random);
  return spoilObject(value as Readonly<Record<string, unknown>>, random);
}

function spoilList(list: readonly unknown[], random: Random): unknown[] {
  const at = random.below(list.length + 1);
  switch (random.below(4)) {
    case 0:
      return list.toSpliced(at, 1);
    case 1:
      return list.toSpliced(at, 0, hostileValue(random));
    case 2:
      return Array.from({ length: random.below(2_000) }, () => list[at]);
    default:
      return at < list.length ? list.with(at, spoilJson(list[at], random)) : [...list, ...list];
  }
}

function spoilObject(
  object: Readonly<Record<string, unknown>>,
  random: Random,
): Record<string, unknown> {
  const members = Object.entries(object);
  const [name, value] = members[random.below(members.length)] ?? ["a", null];
  const { [name]: _, ...others } = object;
  switch (random.below(6)) {
    case 0:
      return others;
    case 1:
      return { ...others, [hostileText(random)]: value };
    case 2:
      return { ...object, [hostileText(random)]: hostileValue(random) };
    case 3:
      return { ...object, [`x${random.below(9)}`]: nested(random.below(200)) };
    default:
      return { ...object, [name]: spoilJson(value, random) };
  }
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

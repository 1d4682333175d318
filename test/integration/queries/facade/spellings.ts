import fc from "fast-check";
import { microsToTime } from "#contracts/seismic-event/time.ts";

/** The many ways in which clients write one and the same thing in a query. */

/** A name or one of its aliases, in any case. */
export function spelledName(...names: readonly string[]): fc.Arbitrary<string> {
  return fc.tuple(fc.constantFrom(...names), fc.nat(2)).map(([name, form]) => {
    if (form === 1) return name.toUpperCase();
    return form === 2 ? name.slice(0, 1).toUpperCase() + name.slice(1) : name;
  });
}

/** A number with and without sign, point, exponent and blanks around it. */
export function spelledNumber(value: number): fc.Arbitrary<string> {
  const plain = String(value);
  const isPlain = !plain.includes("e");
  const forms = [
    plain,
    ` ${plain} `,
    ...(value >= 0 ? [`+${plain}`] : []),
    ...(isPlain ? [`${plain}e0`, `${plain}E+00`] : []),
    ...(isPlain && !plain.includes(".") ? [`${plain}.`, `${plain}.0`, `${plain}.000`] : []),
    value.toExponential(),
  ];
  return fc.constantFrom(...forms);
}

const HOUR_MICROS = 3_600_000_000n;

/** A time in microseconds since 1970 with its zone, its digits and what stands between date and time. */
export function spelledTime(micros: bigint): fc.Arbitrary<string> {
  return fc
    .record({
      separator: fc.constantFrom("T", "t", " "),
      zone: fc.constantFrom("", "Z", "z", "+01:00", "-0930", "+00:00"),
      beyond: fc.stringMatching(/^\d{0,3}$/),
    })
    .map(({ separator, zone, beyond }) => {
      const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
      const ahead = BigInt(hours ?? 0) * HOUR_MICROS + (BigInt(minutes ?? 0) * HOUR_MICROS) / 60n;
      const local = sign === "-" ? micros - ahead : micros + ahead;
      const text = microsToTime(local, 6).slice(0, -1);
      const shown = micros % 1_000_000n === 0n && beyond === "" ? text.slice(0, -7) : text + beyond;
      return shown.replace("T", separator) + zone;
    });
}

/** A text in any case, where case does not matter. */
export function anyCase(text: string): fc.Arbitrary<string> {
  return fc.constantFrom(text, text.toLowerCase(), text.toUpperCase());
}

/** Members of a list with blanks and empty members between them. */
export function spelledList(members: readonly string[]): fc.Arbitrary<string> {
  return fc.constantFrom(",", ", ", " ,", ",,").map((comma) => members.join(comma));
}

/** The query string of some pairs, in their order; a blank stands as `+` or as `%20`. */
export function queryString(
  pairs: readonly (readonly [name: string, value: string])[],
): fc.Arbitrary<string> {
  return fc.tuple(fc.constantFrom("&", "&&"), fc.boolean()).map(([and, plus]) =>
    pairs
      .map(([name, value]) => {
        const text = encodeURIComponent(value);
        return `${name}=${plus ? text.replaceAll("%20", "+") : text}`;
      })
      .join(and),
  );
}

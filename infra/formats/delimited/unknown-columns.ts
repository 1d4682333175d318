import { ATTRIBUTES } from "#contracts/seismic-event/attributes.ts";
import { unreadInName } from "#contracts/seismic-event/input-names.ts";
import { isMissingWord } from "#contracts/seismic-event/number-text.ts";
import { isDateAlone, timePartOf } from "#contracts/seismic-event/split-time.ts";
import { clockOf } from "#contracts/seismic-event/written-time.ts";
import { isCode, pointNumber } from "./cell.ts";
import { columnMeanings } from "./columns.ts";
import type { SampleRows } from "./sample.ts";

const LISTED = 5;
const NUMBERS = ["depth", "magnitude"] as const;
/** No name of one quantity: none at all, as an index of rows has, or several. */
const NO_NAME = /^(?:column_\d+)?$|,/;

/** What a column holds in the first rows, without cells that hold nothing. */
export function sampledCells(sample: SampleRows, column: number): string[] {
  return sample.flatMap((cells) => {
    const cell = (cells[column] ?? "").trim();
    return cell === "" || isMissingWord(cell) ? [] : [cell];
  });
}

/** True for dates without a time of day. */
export function holdsDates(cells: readonly string[]): boolean {
  return cells.length > 0 && cells.every(isDateAlone);
}

/** Which columns without a meaning look like what no column gives: times of day, or numbers. */
export function remarksOnUnknown(keys: readonly string[], sample: SampleRows): string[] {
  const meanings = columnMeanings(keys).map(({ meaning }) => meaning);
  const cells = keys.map((_, i) => sampledCells(sample, i));
  const unknown = (looksSo: (cells: readonly string[]) => boolean) =>
    keys.filter(
      (key, i) =>
        !NO_NAME.test(key) &&
        meanings[i] === null &&
        unreadInName(key) === null &&
        looksSo(cells[i] ?? []),
    );
  const dates = meanings.flatMap((meaning, i) =>
    meaning === "time" || meaning === "date" ? [cells[i] ?? []] : [],
  );
  const lacksClock = dates.every(holdsDates) && !keys.some((key) => timePartOf(key) === "hour");
  const clocks = lacksClock && dates.length > 0 ? unknown(holdsClocks) : [];
  const missing = NUMBERS.filter((name) => !meanings.includes(name));
  const numbers = unknown((some) => missing.some((name) => holdNumbers(some, ATTRIBUTES[name])));
  return [
    ...(clocks.length > 0
      ? [`${named(clocks)} may be the time of day but is not understood: all times are at midnight`]
      : []),
    ...(numbers.length > 0
      ? [`${named(numbers)} may be the ${missing.join(" or the ")} but is not understood`]
      : []),
  ];
}

function holdsClocks(cells: readonly string[]): boolean {
  return cells.length > 0 && cells.every((cell) => clockOf(cell) !== null);
}

function holdNumbers(
  cells: readonly string[],
  { min, max }: { readonly min: number; readonly max: number },
): boolean {
  const isNumber = (cell: string) => {
    const number = pointNumber(cell);
    return number >= min && number <= max && !isCode(cell);
  };
  return cells.length > 0 && cells.every(isNumber);
}

function named(names: readonly string[]): string {
  const listed = names.slice(0, LISTED).map((name) => JSON.stringify(name));
  return listed.join(" or ") + (names.length > LISTED ? " or another" : "");
}

import { LONGITUDES_WRAPPED, TURN, wrapLongitude } from "#contracts/geometry/globe.ts";
import {
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
} from "#contracts/seismic-event/attributes.ts";
import {
  type NamedColumns,
  PICK_TIMES,
  saidUnit,
  targetOf,
} from "#contracts/seismic-event/columns.ts";
import {
  normaliseName,
  saysUnit,
  unitInName,
  unreadInName,
} from "#contracts/seismic-event/names.ts";
import { isMissingWord, isNumeric } from "#contracts/seismic-event/written-numbers.ts";
import { clockOf, isDateAlone, timePartOf } from "#contracts/seismic-event/written-times.ts";
import type { FileSense } from "../file-sense.ts";
import { isQuakesearch, isUnknownAtZero } from "../written-values.ts";
import {
  type CellReader,
  codeCell,
  enumerationCell,
  eventTypeCell,
  foreignNumberCell,
  isCode,
  isDecimalComma,
  isScedc,
  type NumberColumn,
  numberCell,
  pointNumber,
  scedcMagnitudeType,
  structureCell,
  textCell,
  timeCell,
  unknownCell,
} from "./cells.ts";
import { columnMeanings, type MeantColumn, nameColumns } from "./column-names.ts";
import type { FileShape, SampleRows } from "./file-shape.ts";

export type ColumnOptions = {
  readonly shape: Pick<FileShape, "codes" | "dialect" | "endsInNumber" | "header" | "sample">;
  readonly columns: NamedColumns;
  readonly sense: FileSense;
};

/** Stands among the keys for a column that is left out: no name, so it has no meaning. */
export const LEFT_OUT = "";

/**
 * A table's columns: their names, their keys in rows, and the readers of their cells. A column that is
 * said to be something is read as a column of that name. What tells a kind of file are its own names,
 * whatever is said of them.
 * @param own the file's own column names
 */
export function createTableColumns(
  own: readonly string[],
  options: ColumnOptions,
  warn: (message: string) => void,
) {
  const names = nameColumns(own, warn);
  const keys = keysOf(names, options.columns);
  const columns = meantColumns(names, keys, options.columns);
  const { sample, dialect } = options.shape;
  const traits = {
    splitDate: columns.some(({ meaning }) => meaning === "date" || meaning === "part"),
    zeroIsUnknown: isQuakesearch(names),
    isScedc: isScedc(names),
    codes: new Set(names.filter((_, i) => options.shape.codes.has(i))),
    commas: new Set(
      names.filter((name, i) => mayHaveCommas(name, sampledCells(sample, i), dialect.delimiter)),
    ),
    sense: options.sense,
  };
  const readers: CellReader[] = [];
  addReaders(columns);

  function addReaders(all: readonly MeantColumn[]): void {
    for (let i = readers.length; i < names.length; i++) {
      const [name, column] = [names[i], all[i]];
      if (name !== undefined && column !== undefined) {
        readers.push(columnReader(name, column, traits));
      }
    }
  }

  return {
    names,
    keys,
    columns,
    readers,
    /** Adds columns that only some rows have, which repeat the last three. */
    add(count: number): void {
      const repeated = own.slice(-3);
      const added = Array.from({ length: count }, (_, i) => repeated[i % 3] ?? "");
      const all = nameColumns([...own, ...added], () => {});
      names.push(...all.slice(names.length));
      keys.push(...keysOf(names, options.columns).slice(keys.length));
      addReaders(meantColumns(names, keys, options.columns));
    },
  };
}

/** Whether a column of numbers may have decimal commas: one has, or they do not divide columns. */
function mayHaveCommas(name: string, cells: readonly string[], delimiter: string): boolean {
  // A name with a comma is that of several values.
  if (name.includes(",")) return false;
  const isNumbers = cells.length > 0 && cells.every((cell) => !Number.isNaN(pointNumber(cell)));
  return isNumbers && (delimiter !== "," || cells.some(isDecimalComma));
}

/** Columns with another key than their name are read in the unit that they are said to have, or their name says. */
function meantColumns(
  names: readonly string[],
  keys: readonly string[],
  said: NamedColumns,
): MeantColumn[] {
  return columnMeanings(keys).map((column, i) => {
    const [name = "", key = ""] = [names[i], keys[i]];
    const own = saidUnit(said, name);
    if (own !== undefined) return { ...column, places: 0, converts: true, said: own };
    if (name === key || column.meaning === null) return column;
    const unit = unitInName(name, column.meaning);
    const places = "fault" in unit ? 0 : (unit.places ?? 0);
    return { ...column, places, converts: true };
  });
}

/**
 * What columns are called in rows. A column that is said to be what its name says keeps its name,
 * which may also tell a unit or a type, unless its unit is said too, or another column that is not left out has
 * the same meaning.
 */
function keysOf(names: readonly string[], columns: NamedColumns): string[] {
  if (columns.size === 0) return [...names];
  const meanings = columnMeanings(names).map(({ meaning }, i) =>
    columns.get(names[i] ?? "") === null ? null : meaning,
  );
  return names.map((name, i) => {
    const target = targetOf(columns, name);
    if (target === undefined) return name;
    if (target === null) return LEFT_OUT;
    if (saidUnit(columns, name) !== undefined) return target;
    const isKnown = meanings.every((meaning, k) => (meaning === target) === (k === i));
    return isKnown ? name : target;
  });
}

/** Returns why a record describes no event although it is readable; else null. */
export function createEmptinessTest(
  own: readonly string[],
  columns: readonly MeantColumn[],
): (fields: readonly string[]) => string | null {
  const catalogue = own.findIndex((name) => normaliseName(name) === "catalogid");
  const withMeaning = columns.flatMap(({ meaning }, i) => (meaning === null ? [] : [i]));
  const isOfEvent = (fields: readonly string[]) =>
    withMeaning.some((i) => (fields[i] ?? "") !== "");
  return (fields) => {
    if (isOfEvent(fields)) return null;
    const filled = fields.flatMap((field, i) => (field === "" ? [] : [i]));
    const [only = -1, ...more] = filled;
    if (only === -1) return "The row holds no value at all; it is left out";
    if (withMeaning.length === 0 || more.length > 0) return null;
    // CSEP: `,,,,,9,` is a catalogue without events.
    return only === catalogue
      ? `The row says that catalogue ${fields[catalogue]} has no events; it is left out`
      : `The row holds nothing but ${JSON.stringify(own[only])}; it is left out`;
  };
}

/** Length limit of texts whose attribute has none of its own. */
const DEFAULT_LENGTH = 255;

/** Properties of a file that all its columns share. */
type TableTraits = {
  /** Dates have separate columns. */
  readonly splitDate: boolean;
  /** 0 stands for an unknown uncertainty, RMS or gap. */
  readonly zeroIsUnknown: boolean;
  /** Foreign columns with codes that look like numbers. */
  readonly codes: ReadonlySet<string>;
  /** Foreign columns of numbers that may have decimal commas. */
  readonly commas: ReadonlySet<string>;
  readonly isScedc: boolean;
  readonly sense: FileSense;
};

function columnReader(
  column: string,
  { meaning, places, converts, said }: MeantColumn,
  traits: TableTraits,
): CellReader {
  switch (meaning) {
    case null:
      if (said !== undefined) return numberCell({ column, said });
      if (PICK_TIMES.has(normaliseName(column))) return pickTimeCell(column, traits.sense);
      if (traits.codes.has(column)) return codeCell;
      return traits.commas.has(column) ? foreignNumberCell(column) : unknownCell;
    case "time":
    case "date":
      return timeCell(column, traits.sense, traits.splitDate, said);
    case "part":
      return partCell(column);
    case "focal_mechanisms":
    case "extra":
    case "source_events":
      return structureCell(column);
    case "event_type":
      return eventTypeCell(column);
    case "longitude":
      return longitudeCell({
        ...ATTRIBUTES.longitude,
        column,
        attribute: meaning,
        max: TURN,
        said,
      });
    default:
      if (meaning === "magnitude_type" && traits.isScedc) return scedcMagnitudeType(column);
      return attributeReader(column, meaning, traits, { places, converts, said });
  }
}

/** A number; an hour may be a whole time of day. */
function partCell(column: string): CellReader {
  const number = numberCell({ column });
  return (text, notes) => (clockOf(text) === null ? number(text, notes) : text.trim());
}

/** From 0 to 360° as from −180 to 180, with a warning. */
function longitudeCell(of: NumberColumn): CellReader {
  const number = numberCell(of);
  return (text, notes) => {
    const longitude = number(text, notes);
    if (typeof longitude !== "number" || longitude <= 180 || longitude > TURN) return longitude;
    notes.warnOnce(of.column, LONGITUDES_WRAPPED);
    return wrapLongitude(longitude);
  };
}

/** A time as of any column of times; numbers stay, which count seconds from 1970. */
function pickTimeCell(column: string, sense: FileSense): CellReader {
  const time = timeCell(column, sense, false);
  return (text, notes) => (isNumeric(text) ? unknownCell(text, notes) : time(text, notes));
}

type Unit = Pick<MeantColumn, "places" | "converts" | "said">;

/** Limits in the column's unit. */
function limitsIn(name: AttributeName, { places, converts }: Unit): Omit<NumberColumn, "column"> {
  const attribute: Attribute = ATTRIBUTES[name];
  const { min, max, unit } = attribute;
  if (places === 0 || converts) return attribute;
  const scaled = (limit: number | undefined) => limit !== undefined && limit * 10 ** -places;
  const [lowest, highest] = [scaled(min), scaled(max)];
  return {
    ...(lowest !== false && { min: lowest }),
    ...(highest !== false && { max: highest }),
    ...(unit === "km" && places === -3 && { unit: "m" }),
  };
}

function attributeReader(
  column: string,
  name: AttributeName,
  { zeroIsUnknown, sense }: TableTraits,
  of: Unit,
): CellReader {
  const attribute: Attribute = ATTRIBUTES[name];
  switch (attribute.kind) {
    case "number":
    case "integer": {
      const unknownAtZero = zeroIsUnknown && isUnknownAtZero(name);
      const isOpen = name === "depth" && of.said === undefined && !saysUnit(column, name);
      return numberCell({
        ...limitsIn(name, of),
        ...of,
        column,
        attribute: name,
        unknownAtZero,
        sense: isOpen ? sense.depth : undefined,
      });
    }
    case "text":
      return textCell(column, attribute.maxLength ?? DEFAULT_LENGTH);
    case "enumeration":
      return enumerationCell(column, attribute.values ?? []);
  }
}

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
  const clocks =
    lacksClock && dates.length > 0
      ? unknown((some) => some.length > 0 && some.every((cell) => clockOf(cell) !== null))
      : [];
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

import { namesInContext } from "#contracts/seismic-event/columns.ts";
import {
  type Field,
  meaningOf,
  type NameMeaning,
  normaliseName,
} from "#contracts/seismic-event/names.ts";
import {
  type ColumnUnit,
  isMissingWord,
  isNumeric,
} from "#contracts/seismic-event/written-numbers.ts";
import { timePartOf } from "#contracts/seismic-event/written-times.ts";
import { isTime } from "./cells.ts";
import { FDSN_COLUMNS } from "./fdsn-text.ts";

/** How the cells of a column are read. `part`: one part of a date that is spread over columns. */
export type ColumnMeaning = Field | "source_events" | "part";

/**
 * `places`: cells times ten to this power have the attribute's unit. `converts`: that is to be done,
 * since the column's name, which says the unit, is not the key in rows.
 */
export type MeantColumn = {
  readonly meaning: ColumnMeaning | null;
  readonly places: number;
  readonly converts: boolean;
  /** The unit that the column is said to have, which its cells are converted from. */
  readonly said?: ColumnUnit | undefined;
};

/** Month in some files, minute in others, but always a part of a time. */
const MONTH_OR_MINUTE = "mm";

/** The meaning of a column's name by itself; null for a foreign name. */
function meaningOfColumn(name: string, known: NameMeaning | null): ColumnMeaning | null {
  if (known !== null) return known.field;
  const normalised = normaliseName(name);
  if (normalised === "sourceevents") return "source_events";
  return timePartOf(name) !== null || normalised === MONTH_OR_MINUTE ? "part" : null;
}

/** The meanings of a table's columns, each in the context of all. */
export function columnMeanings(names: readonly string[]): MeantColumn[] {
  const { meanings } = namesInContext(names);
  return names.map((name, i) => {
    const known = meanings[i] ?? null;
    return { meaning: meaningOfColumn(name, known), places: known?.places ?? 0, converts: false };
  });
}

/** Above any real catalogue. Names have a limit too, since every row of the answer repeats them. */
export const MAX_COLUMNS = 1000;
const MAX_NAME_LENGTH = 256;
const LISTED = 5;
const EXCERPT_LENGTH = 40;

/** The number of different known meanings in a row of names, of those that are read: a header has several. */
export function countMeanings(names: readonly string[]): number {
  const meanings = new Set<string>();
  for (const name of names.slice(0, MAX_COLUMNS)) {
    const meaning = meaningOfColumn(name, meaningOf(name));
    if (meaning !== null) meanings.add(meaning === "part" ? normaliseName(name) : meaning);
  }
  return meanings.size;
}

/** Why a file with these columns is refused; null when it is accepted. */
export function columnsFault(own: readonly string[]): string | null {
  if (own.length > MAX_COLUMNS) {
    return `the header has ${own.length} columns; more than ${MAX_COLUMNS} are not read`;
  }
  const long = own.find((name) => name.trim().length > MAX_NAME_LENGTH);
  if (long === undefined) return null;
  const excerpt = JSON.stringify(`${long.trim().slice(0, EXCERPT_LENGTH)}…`);
  return `the name of the column ${excerpt} is longer than ${MAX_NAME_LENGTH} characters`;
}

/**
 * Names for a file's columns: its own, trimmed, made unique and never empty. A second `q` becomes
 * `q.1`, as in table programs. Changes are reported to `warn`. `__proto__` is renamed, since it
 * cannot be the key of a row.
 */
export function nameColumns(own: readonly string[], warn: (message: string) => void): string[] {
  const names: string[] = [];
  const allNames = new Set(own.map((name) => name.trim()));
  const used = new Set<string>();
  const numbers = new Map<string, number>();
  const unnamed: string[] = [];
  const repeated: string[] = [];

  for (const [index, text] of own.entries()) {
    const own = text.trim();
    let name = own === "" || own === "__proto__" ? `column_${index + 1}` : own;
    if (name !== own) unnamed.push(name);
    if (used.has(name)) {
      let number = (numbers.get(name) ?? 0) + 1;
      while (allNames.has(`${name}.${number}`)) number++;
      numbers.set(name, number);
      name = `${name}.${number}`;
      repeated.push(name);
    }
    used.add(name);
    allNames.add(name);
    names.push(name);
  }
  if (unnamed.length > 0) warn(`Columns without a usable name are called ${list(unnamed)}`);
  if (repeated.length > 0) warn(`Columns of the same name are told apart as ${list(repeated)}`);
  return names;
}

function list(names: readonly string[]): string {
  const more = names.length - LISTED;
  const listed = names.slice(0, LISTED).map((name) => JSON.stringify(name));
  return listed.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** A layout of files without a header. */
export type KnownLayout = {
  readonly title: string;
  readonly names: readonly string[];
  /** True for a row of this layout; it has as many cells as `names`. */
  readonly fits: (cells: readonly string[]) => boolean;
};

const ZMAP =
  "longitude latitude year month day magnitude depth hour minute second horizontal_uncertainty depth_uncertainty magnitude_uncertainty".split(
    " ",
  );

export const FDSN_TITLE = "FDSN text";
export const ZMAP_TITLE = "ZMAP";

/** Common layouts without a header (`contracts/seismic-event/README.md`, Catalogue files). */
export const KNOWN_LAYOUTS: readonly KnownLayout[] = [
  { title: FDSN_TITLE, names: FDSN_COLUMNS, fits: isFdsn },
  { title: FDSN_TITLE, names: FDSN_COLUMNS.slice(0, 13), fits: isFdsn },
  { title: ZMAP_TITLE, names: ZMAP, fits: isZmap },
  { title: ZMAP_TITLE, names: ZMAP.slice(0, 10), fits: isZmap },
  {
    title: "SeisComP csv",
    names: ["id", "time", "latitude", "longitude", "depth", "magnitude", "region"],
    fits: ([, time = "", ...rest]) => isTime(time) && isPosition(rest[1], rest[0]),
  },
  {
    title: "CSEP",
    names: ["lon", "lat", "mag", "time_string", "depth", "catalog_id", "event_id"],
    fits: ([lon, lat, , time = ""]) => isTime(time) && isPosition(lon, lat),
  },
];

/** The known layout that fits most of the rows; null without one. */
export function findKnownLayout(rows: readonly (readonly string[])[]): KnownLayout | null {
  for (const layout of KNOWN_LAYOUTS) {
    const candidates = rows.filter((cells) => cells.length === layout.names.length);
    const fitting = candidates.filter(layout.fits).length;
    // CSEP has rows for catalogues without events, which show nothing of the layout.
    const filled = candidates.filter((cells) => cells.filter((cell) => cell !== "").length > 2);
    if (fitting > 0 && fitting * 2 > filled.length) return layout;
  }
  return null;
}

function isFdsn([, time = "", latitude, longitude]: readonly string[]): boolean {
  return isTime(time) && isPosition(longitude, latitude);
}

function isZmap(cells: readonly string[]): boolean {
  const [lon, lat, year, month, day, , , hour, minute, second] = cells;
  return (
    cells.every((cell) => isNumeric(cell) || isMissingWord(cell)) &&
    isPosition(lon, lat) &&
    isWithin(year, 0, 9999) &&
    isWithin(month, 1, 12) &&
    isWithin(day, 1, 31) &&
    isWithin(hour, 0, 24) &&
    isWithin(minute, 0, 60) &&
    isWithin(second, 0, 61)
  );
}

function isPosition(longitude: string | undefined, latitude: string | undefined): boolean {
  return isWithin(longitude, -180, 360) && isWithin(latitude, -90, 90);
}

function isWithin(text: string | undefined, min: number, max: number): boolean {
  return text !== undefined && isNumeric(text) && Number(text) >= min && Number(text) <= max;
}

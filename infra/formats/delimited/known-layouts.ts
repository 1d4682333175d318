import { isMissingWord, isNumeric } from "#contracts/seismic-event/number-text.ts";
import { isTime } from "./cell.ts";

/** A layout of files without a header. */
export type KnownLayout = {
  readonly title: string;
  readonly names: readonly string[];
  /** True for a row of this layout; it has as many cells as `names`. */
  readonly fits: (cells: readonly string[]) => boolean;
};

/** The columns of FDSN text (FDSN Event Web Service 1.2). */
export const FDSN_COLUMNS =
  "EventID Time Latitude Longitude Depth/km Author Catalog Contributor ContributorID MagType Magnitude MagAuthor EventLocationName EventType".split(
    " ",
  );
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
    if (fitting > 0 && fitting * 2 > candidates.filter(isFilled).length) return layout;
  }
  return null;
}

/** CSEP has rows for catalogues without events, which show nothing of the layout. */
function isFilled(cells: readonly string[]): boolean {
  return cells.filter((cell) => cell !== "").length > 2;
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

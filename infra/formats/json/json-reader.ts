import { type Field, meaningOf } from "#contracts/seismic-event/input-names.ts";
import { type NamedColumns, NO_NAMED_COLUMNS } from "#contracts/seismic-event/named-columns.ts";
import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { isJsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { FormatReader, RowSink } from "../format-reader.ts";
import { EXPORT_FIELDS } from "../format-writer.ts";
import { createTimeSense, type TimeReading, timeOfMilliseconds } from "../time-sense.ts";
import { callbackLength } from "./callback.ts";
import { createElementScanner } from "./element-scanner.ts";
import { restoreNumbers } from "./exact-members.ts";
import { featureMembers, isFeature } from "./feature-members.ts";
import type { Place } from "./open-element.ts";
import { parseElement } from "./parse-element.ts";
import { isTimePart } from "./row-plan.ts";
import { createRowReader } from "./row-reader.ts";

/** Above any real file. */
const MAX_NAMES = 1000;
/** Longer than what stands before the first bracket of any text that this reader is for. */
const MAX_HEAD = 256;

const EXPECTED =
  "is no event: expected a list of events, an object with such a list as its member events, " +
  "CSEP's list catalog, a GeoJSON FeatureCollection or Feature, an event, or one event on each line";

/** The columns of pyCSEP's CSEPCatalog in the order of its `write_json`; times are milliseconds. */
const CSEP_COLUMNS = ["id", "time", "latitude", "longitude", "depth", "magnitude"] as const;

/** Limit of `extra`, in bytes of UTF-8 JSON: posting an event with more is refused. */
const MAX_EXTRA_BYTES = 64 * 1024;

/** Serialising a value takes at most six times its text: `1e20` becomes 21 digits. */
const SMALL_TEXT = MAX_EXTRA_BYTES / 6 - 1024;

/**
 * Reads events as JSON and GeoJSON, one at a time: from a list, from the lists `events`, `features`
 * and `catalog` of an object (our own exports, USGS, EMSC, CSEP), and from one or more separate
 * objects. Names are interpreted as in `POST /api/catalogues`; rows have canonical names.
 * @param columns what members are, by their own or their canonical names
 */
export function createJsonReader(
  sink: RowSink,
  columns: NamedColumns = NO_NAMED_COLUMNS,
  reading: TimeReading = {},
): FormatReader {
  const sense = createTimeSense(reading);
  const rows = createRowReader(columns, sense);
  const fieldOf = createFieldMemory(columns);
  const occurred = new Set<string>();
  const filled = new Set<string>();
  let isGeojson = false;
  let isEmpty = true;
  let hasList = false;

  function read(text: string, line: number, place: Place): void {
    isEmpty = false;
    const parsed = parseElement(text);
    if (!parsed.ok) {
      sink.error(line, parsed.message);
      return;
    }
    const warn = (message: string) => sink.warning(line, message);
    for (const warning of parsed.warnings) warn(warning);
    const { value } = parsed;
    const row = place === "catalog" && Array.isArray(value) ? csepMembers(value) : null;
    if (typeof row === "string") sink.error(line, row);
    else if (row !== null) readObject(row, text.length, line, place, warn);
    else if (!isJsonObject(value)) sink.error(line, "is no object");
    else readObject(restoreNumbers(value, parsed.text), text.length, line, place, warn);
  }

  function readObject(
    value: JsonObject,
    length: number,
    line: number,
    place: Place,
    warn: (message: string) => void,
  ): void {
    const members = isFeature(value) ? membersOf(value, line, warn) : value;
    if (members === null) return;
    const row = rows.read(members, warn);
    if (row === null) {
      sink.error(line, place === "document" ? EXPECTED : "holds nothing of an event");
      return;
    }
    fitExtra(row, length, warn);
    for (const name in row) {
      occurred.add(name);
      if (row[name] !== null) filled.add(name);
    }
    sink.row(row, line);
  }

  function membersOf(
    feature: JsonObject,
    line: number,
    warn: (message: string) => void,
  ): JsonObject | null {
    isGeojson = true;
    const found = featureMembers(feature, fieldOf, warn);
    if (found.ok) return found.members;
    sink.error(line, found.message);
    return null;
  }

  const scanner = createElementScanner({
    element: read,
    list(name, head, line) {
      isEmpty = false;
      hasList = true;
      if (name === "features") isGeojson = true;
      if (head !== null) warnOfProjection(head, (message) => sink.warning(line, message));
    },
    error(line, message) {
      isEmpty = false;
      sink.error(line, message);
    },
    warning: sink.warning,
  });

  let head: string | null = "";

  /** A script's call is looked through, once its first bracket is there. */
  function begin(isLast: boolean): void {
    const text = head ?? "";
    const isOpen = !isLast && text.length < MAX_HEAD && !/[{[]/.test(text);
    if (isOpen) return;
    const length = callbackLength(text);
    head = null;
    if (length > 0) scanner.unwrap();
    scanner.write(text.slice(0, length).replaceAll(/[^\n]/g, "") + text.slice(length));
  }

  return {
    write(text) {
      if (head === null) scanner.write(text);
      else {
        head += text;
        begin(false);
      }
    },
    end() {
      if (head !== null) begin(true);
      scanner.end();
      if (isEmpty) sink.error(1, "holds no events");
      if (occurred.size > 0 && !rows.magnitudeGiven()) {
        sink.warning(1, "No member is recognised as magnitude; it is null, not known, in all rows");
      }
      const headers = EXPORT_FIELDS.filter((name) => occurred.has(name));
      const empty = headers.filter((name) => !filled.has(name));
      const again = sense.decision();
      const members = rows.names().filter((name) => !occurred.has(name));
      return {
        headers,
        ...(empty.length > 0 && { empty }),
        ...(members.length > 0 && { members }),
        format: isGeojson ? "geojson" : "json",
        isCatalogue: hasList,
        ...(again && { again }),
      };
    },
  };
}

/** Finds the field for a name, with a cache: all Features of a file have the same names. */
function createFieldMemory(columns: NamedColumns): (name: string) => Field | null {
  const fields = new Map<string, Field | null>();
  return (name) => {
    let field = fields.get(name);
    if (field === undefined) {
      const said = columns.get(name) ?? null;
      field = said !== null && !isTimePart(said) ? said : (meaningOf(name)?.field ?? null);
      if (fields.size >= MAX_NAMES) fields.clear();
      fields.set(name, field);
    }
    return field;
  };
}

/** RFC 7946 allows only longitude and latitude in WGS 84; older files may use other coordinates. */
function warnOfProjection(head: string, warn: (message: string) => void): void {
  if (!head.includes('"crs"')) return;
  const parsed = parseElement(`${head}[]}`);
  const crs = parsed.ok && isJsonObject(parsed.value) ? (parsed.value["crs"] ?? null) : null;
  const text = JSON.stringify(crs);
  if (crs !== null && !/CRS84|4326|4979/.test(text)) {
    warn(
      `crs is ${text.slice(0, 100)}: coordinates are read as longitude and latitude all the same`,
    );
  }
}

/** An event's members from a list in CSEP's JSON catalogue, or why it has none. */
function csepMembers(row: readonly JsonValue[]): JsonObject | string {
  if (row.length !== CSEP_COLUMNS.length) {
    return `has ${row.length} values where a row of CSEP's has ${CSEP_COLUMNS.length}: ${CSEP_COLUMNS.join(", ")}`;
  }
  const members: JsonObject = Object.fromEntries(
    CSEP_COLUMNS.map((name, i) => [name, row[i] ?? null]),
  );
  const { time } = members;
  return typeof time === "number"
    ? { ...members, time: timeOfMilliseconds(time) ?? time }
    : members;
}

/** Removes the largest members of an oversized `extra`; `length` is that of the event's text. */
function fitExtra(row: JsonObject, length: number, warn: (message: string) => void): void {
  const extra = row["extra"];
  if (length < SMALL_TEXT || typeof extra !== "object" || extra === null) return;
  const members = Object.entries(extra).map(([name, value]) => ({
    name,
    value,
    bytes: Buffer.byteLength(JSON.stringify({ [name]: value })),
  }));
  let total = members.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= MAX_EXTRA_BYTES) return;
  const left = new Set<string>();
  for (const { name, bytes } of members.toSorted((a, b) => b.bytes - a.bytes)) {
    if (total <= MAX_EXTRA_BYTES) break;
    left.add(name);
    total -= bytes;
    warn(
      `${name.slice(0, 60)} is left out: with it, extra is larger than ${MAX_EXTRA_BYTES} bytes`,
    );
  }
  const kept = members.filter(({ name }) => !left.has(name));
  row["extra"] = Object.fromEntries(kept.map(({ name, value }) => [name, value]));
}

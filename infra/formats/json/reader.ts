import { bulletinFault } from "#contracts/bulletin/check.ts";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import {
  isPickTarget,
  type NamedColumns,
  NO_NAMED_COLUMNS,
  targetOf,
} from "#contracts/seismic-event/columns.ts";
import { type Field, meaningOf } from "#contracts/seismic-event/names.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "#contracts/seismic-event/seismic-event.ts";
import { inOneStep } from "../../kernel/iteration.ts";
import { rowOfBulletin } from "../bulletin/row.ts";
import {
  createFileSense,
  type FileReading,
  type FileSense,
  timeOfMilliseconds,
} from "../file-sense.ts";
import type { FormatReader, ReadResult, RowSink } from "../format-reader.ts";
import { EXPORT_FIELDS } from "../format-writer.ts";
import { parseElement } from "./element.ts";
import { isTimePart } from "./row-plan.ts";
import { createRowReader } from "./row-reader.ts";
import { callbackLength, createElementScanner, type ElementPlace } from "./scanner.ts";

/** Longer than what stands before the first bracket of any text that this reader is for. */
const MAX_HEAD = 256;

/**
 * Reads events as JSON and GeoJSON, one at a time: from a list, from the lists `events`, `features`
 * and `catalog` of an object (our own exports, USGS, EMSC, CSEP), and from one or more separate
 * objects. Names are interpreted as in `POST /api/catalogues`; rows have canonical names.
 * @param columns what members are, by their own or their canonical names
 */
export function createJsonReader(
  sink: RowSink,
  columns: NamedColumns = NO_NAMED_COLUMNS,
  reading: FileReading = {},
): FormatReader {
  const sense = createFileSense(reading);
  const elements = createElementReader(sink, columns, sense);
  let isGeojson = false;
  let isEmpty = true;
  let hasList = false;
  const scanner = createElementScanner({
    element(text, line, place) {
      isEmpty = false;
      elements.read(text, line, place);
    },
    list(name, before, line) {
      isEmpty = false;
      hasList = true;
      if (name === "features") isGeojson = true;
      if (before !== null) warnOfProjection(before, (message) => sink.warning(line, message));
    },
    error(line, message) {
      isEmpty = false;
      sink.error(line, message);
    },
    warning: sink.warning,
  });

  const script = throughCall(scanner);

  return {
    write: script.write,
    end: () =>
      inOneStep(() => {
        script.end();
        if (isEmpty) sink.error(1, "holds no events");
        if (elements.lacksMagnitude()) {
          sink.warning(
            1,
            "No member is recognised as magnitude; it is null, not known, in all rows",
          );
        }
        const again = sense.decision();
        return {
          ...elements.names(),
          format: isGeojson || elements.hasFeatures() ? "geojson" : "json",
          isCatalogue: hasList,
          ...(again && { again }),
        };
      }),
  };
}

/** A script's call is looked through, once its first bracket is there. */
function throughCall(scanner: ReturnType<typeof createElementScanner>) {
  /** The text before the first bracket; null once that was there. */
  let head: string | null = "";

  function begin(text: string, isLast: boolean): void {
    head = text;
    if (!isLast && text.length < MAX_HEAD && !/[{[]/.test(text)) return;
    head = null;
    const length = callbackLength(text);
    if (length > 0) scanner.unwrap();
    scanner.write(text.slice(0, length).replaceAll(/[^\n]/g, "") + text.slice(length));
  }

  return {
    write(text: string): void {
      if (head === null) scanner.write(text);
      else begin(head + text, false);
    },
    end(): void {
      if (head !== null) begin(head, true);
      scanner.end();
    },
  };
}

/** RFC 7946 allows only longitude and latitude in WGS 84; older files may use other coordinates. */
function warnOfProjection(head: string, warn: (message: string) => void): void {
  if (!head.includes('"crs"')) return;
  const element = parseElement(`${head}[]}`);
  const crs = element.ok && isJsonObject(element.value) ? (element.value["crs"] ?? null) : null;
  const text = JSON.stringify(crs);
  if (crs !== null && !/CRS84|4326|4979/.test(text)) {
    warn(
      `crs is ${text.slice(0, 100)}: coordinates are read as longitude and latitude all the same`,
    );
  }
}

/** Above any real file. */
const MAX_NAMES = 1000;

const EXPECTED =
  "is no event: expected a list of events, an object with such a list as its member events, " +
  "CSEP's list catalog, a GeoJSON FeatureCollection or Feature, an event, or one event on each line";

type Warn = (message: string) => void;

/** Makes rows of the elements of a document, each of them an event as JSON, GeoJSON or CSEP has it. */
function createElementReader(sink: RowSink, columns: NamedColumns, sense: FileSense) {
  const rows = createRowReader(columns, sense);
  const fieldOf = createFieldMemory(columns);
  const columnsOfRows = createRowColumns();
  let hasFeatures = false;

  function readObject(value: JsonObject, length: number, line: number, place: ElementPlace): void {
    const warn = (message: string) => sink.warning(line, message);
    const isFeature = value["type"] === "Feature" || ("geometry" in value && "properties" in value);
    const members = isFeature ? membersOf(value, line, warn) : value;
    if (members === null) return;
    const { bulletin, members: others } = takeBulletin(members);
    const row = rows.read(others, warn);
    if (row === null) {
      sink.error(line, place === "document" ? EXPECTED : "holds nothing of an event");
      return;
    }
    fitExtra(row, length, warn);
    const whole = bulletin === null ? row : rowBeside(others, bulletin, row, warn);
    if (typeof whole === "string") {
      sink.error(line, whole);
      return;
    }
    columnsOfRows.add(whole);
    sink.row(whole, line);
  }

  function membersOf(feature: JsonObject, line: number, warn: Warn): JsonObject | null {
    hasFeatures = true;
    const members = featureMembers(feature, fieldOf, warn);
    if (typeof members !== "string") return members;
    sink.error(line, members);
    return null;
  }

  return {
    read(text: string, line: number, place: ElementPlace): void {
      const element = parseElement(text);
      if (!element.ok) {
        sink.error(line, element.message);
        return;
      }
      for (const warning of element.warnings) sink.warning(line, warning);
      const { value } = element;
      const row = place === "catalog" && Array.isArray(value) ? csepMembers(value) : null;
      if (typeof row === "string") sink.error(line, row);
      else if (row !== null) readObject(row, text.length, line, place);
      else if (!isJsonObject(value)) sink.error(line, "is no object");
      else readObject(restoreNumbers(value, element.text), text.length, line, place);
    },
    hasFeatures: () => hasFeatures,
    /** Whether there are rows, and none of their members is a magnitude. */
    lacksMagnitude: () => columnsOfRows.hasRows() && !rows.hasMagnitude(),
    /** The names of the rows, and what else the file calls its members. */
    names: () => columnsOfRows.names(rows.names()),
  };
}

/** Which columns a table of the rows has, and which of them are empty. */
function createRowColumns() {
  const occurred = new Set<string>();
  const filled = new Set<string>();
  return {
    add(row: JsonObject): void {
      for (const name in row) {
        occurred.add(name);
        if (row[name] !== null) filled.add(name);
      }
    },
    hasRows: () => occurred.size > 0,
    /** @param all what the file calls its members */
    names(all: readonly string[]): Pick<ReadResult, "headers" | "members" | "empty"> {
      const headers = EXPORT_FIELDS.filter((name) => occurred.has(name));
      const empty = headers.filter((name) => !filled.has(name));
      const members = all.filter((name) => !occurred.has(name));
      return {
        headers,
        ...(empty.length > 0 && { empty }),
        ...(members.length > 0 && { members }),
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
      const target = targetOf(columns, name) ?? null;
      const isField = target !== null && !isTimePart(target) && !isPickTarget(target);
      field = isField ? target : (meaningOf(name)?.field ?? null);
      if (fields.size >= MAX_NAMES) fields.clear();
      fields.set(name, field);
    }
    return field;
  };
}

/** The columns of pyCSEP's CSEPCatalog in the order of its `write_json`; times are milliseconds. */
const CSEP_COLUMNS = ["id", "time", "latitude", "longitude", "depth", "magnitude"] as const;

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

/** Limit of `extra`, in bytes of UTF-8 JSON: posting an event with more is refused. */
const MAX_EXTRA_BYTES = 64 * 1024;

/** Serialising a value takes at most six times its text: `1e20` becomes 21 digits. */
const SMALL_TEXT = MAX_EXTRA_BYTES / 6 - 1024;

/** Removes the largest members of an oversized `extra`; `length` is that of the event's text. */
function fitExtra(row: JsonObject, length: number, warn: (message: string) => void): void {
  const extra = row["extra"];
  if (length < SMALL_TEXT || typeof extra !== "object" || extra === null) return;
  const members = Object.entries(extra).map(([name, value]) => ({
    name,
    bytes: Buffer.byteLength(JSON.stringify({ [name]: value })),
  }));
  let total = members.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= MAX_EXTRA_BYTES) return;
  const excess = new Set<string>();
  for (const { name, bytes } of members.toSorted((a, b) => b.bytes - a.bytes)) {
    if (total <= MAX_EXTRA_BYTES) break;
    excess.add(name);
    total -= bytes;
    warn(
      `${name.slice(0, 60)} is left out: with it, extra is larger than ${MAX_EXTRA_BYTES} bytes`,
    );
  }
  row["extra"] = Object.fromEntries(Object.entries(extra).filter(([name]) => !excess.has(name)));
}

/** What answers and exports tell of an event's bulletin beside the bulletin itself. */
const SUMMARY = ["bulletin_sha256", "bulletin_counts"] as const;

/**
 * An event's members without those of its bulletin, and the bulletin where it has one. Hash and counts are
 * left out: those of what is read follow from it.
 */
function takeBulletin(members: JsonObject) {
  const { bulletin = null } = members;
  const isHeld = isJsonObject(bulletin);
  if (!isHeld && !SUMMARY.some((name) => name in members)) return { members, bulletin: null };
  const { bulletin_sha256: _, bulletin_counts: __, ...others } = members;
  if (!isHeld) return { members: others, bulletin: null };
  const { bulletin: ___, ...rest } = others;
  return { members: rest, bulletin };
}

/**
 * The row of an event with a bulletin, which it has as a member: what the file says beside the bulletin, and
 * the bulletin's view for the rest. Whoever takes the row decides whether the two agree, as of other
 * submitted events. A text says why there is none.
 */
function rowBeside(
  members: JsonObject,
  bulletin: JsonObject,
  row: JsonObject,
  warn: (message: string) => void,
): JsonObject | string {
  const fault = bulletinFault(bulletin);
  if (fault !== null) return `bulletin.${fault.path}: ${fault.message}`;
  const view = rowOfBulletin(bulletin as unknown as Bulletin, warn);
  if (typeof view === "string") return view;
  // Rows have some members that the file does not have, as null.
  const said = Object.entries(row).filter(([name, value]) => value !== null || name in members);
  return { ...view, ...Object.fromEntries(said), bulletin };
}

const INTEGER = /^-?\d+$/;

/**
 * The members of `value`, parsed from `text`, with numbers that exceed a double (identifiers beyond
 * 2⁵³, 1e999) as the original text: an event's own members and a Feature's properties.
 */
function restoreNumbers(value: JsonObject, text: string): JsonObject {
  const properties = value["properties"];
  const inProperties = isJsonObject(properties) && holdsSuspect(properties);
  if (!inProperties && !holdsSuspect(value)) return value;
  const exact: unknown = JSON.parse(text, textOfChanged);
  if (!isJsonObject(exact)) return value;
  const restored = restore(value, exact);
  const exactProperties = exact["properties"];
  if (inProperties && isJsonObject(exactProperties)) {
    restored["properties"] = restore(properties, exactProperties);
  }
  return restored;
}

function holdsSuspect(members: JsonObject): boolean {
  for (const name in members) {
    const value = members[name];
    if (typeof value === "number" && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return true;
  }
  return false;
}

function restore(members: JsonObject, exact: JsonObject): JsonObject {
  const restored = { ...members };
  for (const [name, value] of Object.entries(members)) {
    const text = exact[name];
    if (typeof value === "number" && typeof text === "string") restored[name] = text;
  }
  return restored;
}

function textOfChanged(_name: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined) return value;
  const isChanged =
    !Number.isFinite(value) || (!Number.isSafeInteger(value) && INTEGER.test(source));
  return isChanged ? source : value;
}

const EMSC_NAMES: Readonly<Record<string, string>> = {
  unid: "source_id",
  flynn_region: "region",
  evtype: "event_type",
  auth: "author",
};

/** USGS's members, with their times, which are milliseconds, as readable ones. */
function usgsMembers(properties: JsonObject): JsonObject {
  const { time = null, updated = null } = properties;
  return {
    ...properties,
    ...(typeof time === "number" && { time: timeOfMilliseconds(time) ?? time }),
    ...(typeof updated === "number" && { updated: timeOfMilliseconds(updated) ?? updated }),
  };
}

/** EMSC's members under our names; other members with these names get EMSC's prefix. */
function emscMembers(properties: JsonObject): JsonObject {
  const members: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(properties)) {
    const ours = Object.hasOwn(EMSC_NAMES, name) ? EMSC_NAMES[name] : undefined;
    if (ours !== undefined) members.push([ours, value]);
    else members.push([name === "source_id" ? "emsc_source_id" : name, value]);
  }
  return Object.fromEntries(members);
}

/** Other members of a Feature are foreign and kept like properties. */
const FEATURE_MEMBERS = new Set(["type", "id", "geometry", "properties"]);

/**
 * An event's members from a Feature (RFC 7946), or why it has none: `properties`, the point unless they have a
 * position, the id.
 */
function featureMembers(
  feature: JsonObject,
  fieldOf: (name: string) => Field | null,
  warn: (message: string) => void,
): JsonObject | string {
  const properties = feature["properties"] ?? {};
  if (!isJsonObject(properties)) return "properties are no object";
  // USGS's summary has members for the event's network and code; of EMSC's services the event's public id
  // is `unid`, and `source_id` that of another catalogue.
  const usgs = "net" in properties && "code" in properties;
  const emsc = "unid" in properties && ("flynn_region" in properties || "evtype" in properties);
  const members = usgs
    ? usgsMembers(properties)
    : emsc
      ? emscMembers(properties)
      : { ...properties };
  const filled = filledFields(members, fieldOf);
  const fault = addPosition(members, filled, feature["geometry"] ?? null, usgs, warn);
  if (fault !== null) return fault;
  addId(members, feature["id"] ?? null, emsc);
  for (const [name, value] of Object.entries(feature)) {
    if (!FEATURE_MEMBERS.has(name) && !Object.hasOwn(members, name)) members[name] = value;
  }
  return members;
}

/** If there is a `source_id`, the Feature's id is ours: a re-imported export. */
function addId(members: JsonObject, id: JsonValue, emsc: boolean): void {
  if (id === null) return;
  if (!("id" in members)) {
    if (!emsc || members["source_id"] !== id) members["id"] = id;
  } else if (members["id"] !== id) members["feature_id"] = id;
}

/** The fields with a value, under any of their names. */
function filledFields(
  members: JsonObject,
  fieldOf: (name: string) => Field | null,
): Set<Field | null> {
  const filled = new Set<Field | null>();
  for (const name in members) if ((members[name] ?? null) !== null) filled.add(fieldOf(name));
  return filled;
}

function addPosition(
  members: JsonObject,
  filled: ReadonlySet<Field | null>,
  geometry: JsonValue,
  usgs: boolean,
  warn: (message: string) => void,
): string | null {
  const point = pointOf(geometry);
  if (typeof point === "string") {
    if (!filled.has("latitude") || !filled.has("longitude")) return point;
    warn(`${point}; its properties say where it is`);
    return null;
  }
  const [longitude = null, latitude = null, height = null] = point;
  if (!filled.has("longitude")) members["longitude"] = longitude;
  if (!filled.has("latitude")) members["latitude"] = latitude;
  if (height !== null && !filled.has("depth")) {
    members["depth"] = usgs ? height : depthOf(height, warn);
  }
  return null;
}

/** Kilometres, positive down or, from EMSC, negative; USGS's depths are always taken as given. */
function depthOf(height: number, warn: (message: string) => void): number {
  if (height >= 0) return height;
  warn(`the third coordinate ${height} is read as ${-height} km below the surface`);
  return -height;
}

function pointOf(geometry: JsonValue): readonly number[] | string {
  if (geometry === null) return "the geometry is missing";
  if (!isJsonObject(geometry)) return "the geometry is no object";
  if (geometry["type"] !== "Point") return "the geometry is no Point";
  const coordinates = geometry["coordinates"];
  const isPoint =
    Array.isArray(coordinates) &&
    coordinates.length >= 2 &&
    coordinates.slice(0, 2).every((value) => typeof value === "number") &&
    (typeof coordinates[2] === "number" || (coordinates[2] ?? null) === null);
  return isPoint
    ? (coordinates.slice(0, 3) as number[])
    : "the coordinates are not longitude, latitude and an optional depth";
}

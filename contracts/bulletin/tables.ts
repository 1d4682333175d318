import type { CountedObject } from "../seismic-event/bulletin-objects.ts";
import { KILOMETRES_TO_METRES } from "../units.ts";
import { type Field, QUAKEML_TYPES, type TypeName } from "./quakeml.ts";

/** A table of bulletins: a row for each object of a kind. */
export type BulletinTable = CountedObject;

/** `category`: texts that come again and again; `time`: canonical, where the text is a time. */
export type TableColumnKind = "text" | "category" | "number" | "integer" | "time" | "flag";

export type TableColumn = {
  readonly name: string;
  readonly kind: TableColumnKind;
  /** Of the column; kilometres where a bulletin has metres and the event's row kilometres. */
  readonly unit?: string;
  /** The members that lead to the value, lists by index. */
  readonly path: readonly string[];
  /** Powers of ten from the bulletin's unit to the column's. */
  readonly places: number;
};

/** Types whose members have names that say enough alone; those of others begin with the member's. */
const NEEDS_NO_PREFIX: ReadonlySet<string> = new Set([
  "OriginQuality",
  "OriginUncertainty",
  "ConfidenceEllipsoid",
  "NodalPlanes",
  "PrincipalAxes",
  "Tensor",
  "CreationInfo",
]);

/** Lists of which a table has the first, as the event's row. */
const FIRST_ONLY: ReadonlySet<string> = new Set(["OriginUncertainty", "MomentTensor"]);

const WAVEFORM_NAMES: Readonly<Record<string, string>> = {
  networkCode: "network",
  stationCode: "station",
  locationCode: "location",
  channelCode: "channel",
};
const WAVEFORM_ORDER = Object.keys(WAVEFORM_NAMES);

type Place = {
  readonly path: readonly string[];
  readonly prefix: string;
  readonly inKilometres: boolean;
};

/** The columns of a type's members, the simple ones and those of objects within; of lists at last. */
function columnsOf(type: TypeName, place: Place): TableColumn[] {
  const members = Object.entries<Field>(QUAKEML_TYPES[type]);
  const singles = members.filter(([, { many }]) => !many);
  const lists = members.filter(([, { many }]) => many);
  return [...singles, ...lists].flatMap(([member, field]) => columnsOfMember(member, field, place));
}

function columnsOfMember(member: string, field: Field, place: Place): TableColumn[] {
  const path = [...place.path, member];
  const name = place.prefix + snakeCase(member);
  const { type } = field;
  if (type === undefined) {
    const isOwnId = field.kind === "id" && place.prefix === "";
    return field.many || isOwnId ? [] : [columnOf(name, field, path, place)];
  }
  if (field.many && !FIRST_ONLY.has(type)) return [];
  if (type === "WaveformStreamID") return WAVEFORM_ORDER.map((code) => waveformColumn(code, path));
  if (type.endsWith("Quantity")) return quantityColumns(name, field, path, place);
  const inner = {
    path: field.many ? [...path, "0"] : path,
    prefix: NEEDS_NO_PREFIX.has(type) ? place.prefix : `${name}_`,
    inKilometres: place.inKilometres,
  };
  return columnsOf(type as TypeName, inner);
}

/** A quantity's value, and its uncertainty in the same unit, of times in seconds. */
function quantityColumns(
  name: string,
  { type, unit }: Field,
  path: readonly string[],
  place: Place,
): TableColumn[] {
  const { value, uncertainty }: Readonly<Record<"value" | "uncertainty", Field>> =
    QUAKEML_TYPES[type as "RealQuantity" | "IntegerQuantity" | "TimeQuantity"];
  const inUnit = unit === undefined ? {} : { unit };
  return [
    columnOf(name, { ...value, ...inUnit }, [...path, "value"], place),
    columnOf(`${name}_uncertainty`, { ...uncertainty, ...inUnit }, [...path, "uncertainty"], place),
  ];
}

function waveformColumn(code: string, path: readonly string[]): TableColumn {
  return {
    name: WAVEFORM_NAMES[code] as string,
    kind: "category",
    path: [...path, code],
    places: 0,
  };
}

function columnOf(
  name: string,
  { kind, unit }: Field,
  path: readonly string[],
  { inKilometres }: Place,
): TableColumn {
  const isMoved = inKilometres && unit === "m";
  return {
    name,
    kind: COLUMN_KINDS[kind],
    ...(unit !== undefined && { unit: isMoved ? "km" : unit }),
    path,
    places: isMoved ? -KILOMETRES_TO_METRES : 0,
  };
}

const COLUMN_KINDS: Readonly<Record<Field["kind"], TableColumnKind>> = {
  real: "number",
  integer: "integer",
  time: "time",
  boolean: "flag",
  text: "category",
  enumeration: "category",
  resource: "category",
  id: "text",
  reference: "text",
  object: "text",
};

/** `publicID` is `public_id`, `nodalPlane1` is `nodal_plane1`. */
function snakeCase(member: string): string {
  return member.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
}

function tableOf(type: TypeName, inKilometres = false): TableColumn[] {
  return columnsOf(type, { path: [], prefix: "", inKilometres });
}

/** Of an arrival with its pick and its origin. */
function arrivalColumns(): TableColumn[] {
  const of = (member: string, type: TypeName) =>
    columnsOf(type, { path: [member], prefix: "", inKilometres: false });
  const arrival = of("arrival", "Arrival");
  const pick = of("pick", "Pick");
  const named = (columns: readonly TableColumn[], name: string, from = name): TableColumn => {
    const column = columns.find((known) => known.name === from) as TableColumn;
    return { ...column, name };
  };
  const ofPick = ["network", "station", "location", "channel"].map((name) => named(pick, name));
  const first = [
    { name: "origin_id", kind: "text", path: ["origin", "publicID"], places: 0 } as const,
    ...ofPick,
    named(arrival, "phase"),
    named(pick, "time"),
    named(pick, "time_uncertainty"),
    named(arrival, "residual", "time_residual"),
    named(arrival, "distance"),
    named(arrival, "azimuth"),
    named(arrival, "weight", "time_weight"),
    named(pick, "mode", "evaluation_mode"),
    named(pick, "status", "evaluation_status"),
    named(pick, "onset"),
    named(pick, "polarity"),
  ];
  const taken = new Set(first.map(({ path }) => path.join()));
  return [...first, ...arrival.filter(({ path }) => !taken.has(path.join()))];
}

/**
 * The columns of each table after `event_id`, `public_id` and `preferred`, made of the table of types.
 * Paths begin at the row's object, those of arrivals at `{arrival, pick, origin}`.
 */
export const TABLE_COLUMNS: Readonly<Record<BulletinTable, readonly TableColumn[]>> = {
  origins: tableOf("Origin", true),
  magnitudes: tableOf("Magnitude", true),
  station_magnitudes: tableOf("StationMagnitude"),
  amplitudes: tableOf("Amplitude"),
  picks: tableOf("Pick"),
  arrivals: arrivalColumns(),
  focal_mechanisms: tableOf("FocalMechanism"),
};

/** The columns that every table begins with. `preferred`: whether it is of what the row shows. */
const FIRST_COLUMNS = [
  { name: "event_id", kind: "text", isRequired: true },
  { name: "public_id", kind: "text", isRequired: true },
  { name: "preferred", kind: "flag", isRequired: true },
] as const satisfies readonly NamedColumn[];

/** All columns of a table. */
export function columnsOfTable(table: BulletinTable): readonly NamedColumn[] {
  return [...FIRST_COLUMNS, ...TABLE_COLUMNS[table]];
}

export type NamedColumn = Pick<TableColumn, "name" | "kind" | "unit"> & {
  /** Never null. */
  readonly isRequired?: true;
};

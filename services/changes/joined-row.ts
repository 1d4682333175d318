import { bulletinFault } from "#contracts/bulletin/check.ts";
import type { Bulletin, Kind, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { bulletinOfRow } from "#contracts/bulletin/row.ts";
import { PICK_TIMES } from "#contracts/seismic-event/columns.ts";
import { movePoint, normaliseName } from "#contracts/seismic-event/names.ts";
import { bareId, idsOf } from "#contracts/seismic-event/public-ids.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { magnitudeTypeOfName } from "#contracts/seismic-event/written-numbers.ts";
import { KILOMETRES_TO_METRES } from "#contracts/units.ts";
import { ownValues, present, serviceId } from "#infra/formats/bulletin/members.ts";
import { timeOfEpoch } from "#infra/formats/file-sense.ts";
import type { FileRow } from "#infra/formats/format-reader.ts";
import type { Joined, JoinedRow } from "../domain/bulletins/union.ts";
import { type FieldError, readTime } from "../domain/events/validation/event-draft.ts";
import {
  createPartReader,
  type GivenAttributes,
} from "../domain/events/validation/validate-event.ts";

/** A row that says something of an event, or what is wrong with it. */
export type ReadRow =
  | { readonly ok: true; readonly id: string; readonly joined: Joined }
  | { readonly ok: false; readonly id?: string; readonly errors: readonly FieldError[] };

type Magnitude = QuakemlObject<"Magnitude">;
type Origin = QuakemlObject<"Origin">;
type Content<T extends { readonly publicID: string }> = Omit<T, "publicID">;

const NOBODY = "00000000-0000-0000-0000-000000000000";
const STATIONS = ["nrsta", "nsta", "nst", "stations", "stationcount"];
const UNCERTAINTIES = ["uncertainty", "error", "err", "sigma", "std"];

/**
 * A function that reads what rows of a file say of events, whatever the file is: all solutions of a row
 * that comes with a bulletin, of another its origin, magnitudes, mechanism or pick.
 * @param nowMs the present, milliseconds since 1970
 */
export function createJoinedRowReader(nowMs: number): (row: FileRow) => ReadRow {
  const readPart = createPartReader({ nowMs });
  return ({ row, bulletin: ofFile }) => {
    const { bulletin: member, bulletin_sha256: _, bulletin_counts: __, ...members } = row;
    const given = readPart(members);
    const { record, errors } = given;
    const cells = cellsOf(members);
    const bulletin = ofFile ?? (member as Bulletin | null | undefined) ?? null;
    const picks = bulletin === null ? picksOfColumns(cells, given, nowMs) : null;
    const id = idOfRow(record, cells, picks !== null);
    if (id === null) return faulty("source_id", "is missing: it says of which event the row is");
    if (bulletin !== null) return ofBulletin(bulletin, id);
    if (picks !== null && "field" in picks) return { ok: false, id, errors: [picks] };
    // A pick's columns have other meanings for a whole event.
    if (errors.length > 0 && picks === null) return { ok: false, id, errors };
    const said = picks === null ? solutionsOf(record, cells, members) : { pick: picks };
    if (Object.keys(said).length === 0) {
      return { ...faulty("row", "has neither magnitude, mechanism, origin nor pick"), id };
    }
    return { ok: true, id, joined: { row: withIds(said, bareId(id)) } };
  };
}

function ofBulletin(bulletin: Bulletin, id: string): ReadRow {
  const fault = bulletinFault(bulletin);
  if (fault === null) return { ok: true, id, joined: { bulletin } };
  return { ...faulty(`bulletin.${fault.path}`, fault.message), id };
}

function faulty(field: string, message: string) {
  return { ok: false as const, errors: [{ field, message }] };
}

/** The public id where there is one: it says which of several events of a bare id is meant. */
function idOfRow(record: SeismicEventRecord, cells: Cells, isPick: boolean): string | null {
  if (isPick || record.source_id === null) return cells.text(...EVENT_COLUMNS);
  const { publicId, sourceId } = idsOf(record);
  return publicId ?? sourceId;
}

/** What a row says, as yet without ids. */
type Said = {
  readonly origin?: Content<Origin>;
  readonly centroid?: Content<Origin>;
  readonly magnitude?: readonly Content<Magnitude>[];
  readonly focalMechanism?: readonly object[];
  readonly pick?: readonly ReturnType<typeof pickOf>[];
};

function solutionsOf(record: SeismicEventRecord, cells: Cells, row: JsonObject): Said {
  const isPlaced = record.time !== "" && record.latitude !== null && record.longitude !== null;
  const whole = bulletinOfRow({ ...record, id: NOBODY });
  const origin = isPlaced ? whole.origin?.[0] : undefined;
  const centroid = origin && centroidOf(origin, cells);
  const magnitude = magnitudesOf(whole.magnitude?.[0], record, cells, row);
  const mw = magnitude.find(({ type = "" }) => /^mw/i.test(type))?.mag.value ?? null;
  const ofColumns = mechanismOfColumns(cells, mw);
  const given = (whole.focalMechanism ?? []).map(withoutIds);
  const { momentTensor, ...mechanism } = ofColumns ?? {};
  const list = momentTensor ? { ...mechanism, momentTensor: [momentTensor] } : mechanism;
  // Beside a mechanism the place is that of the event, or of the centroid.
  const isOwnPlace = origin !== undefined && ofColumns === null;
  return present({
    origin: isOwnPlace ? withoutIds(origin) : undefined,
    centroid: ofColumns === null ? undefined : centroid,
    magnitude,
    focalMechanism: ofColumns === null ? given : [list],
  });
}

/** Where a moment tensor is whose table gives its depth beside the place of the event. */
function centroidOf(
  { latitude, longitude, time }: Origin,
  cells: Cells,
): Content<Origin> | undefined {
  const depth = cells.number("cd", "centroiddepth");
  if (depth === null) return undefined;
  return {
    time: { value: time.value },
    longitude: { value: longitude.value },
    latitude: { value: latitude.value },
    depth: { value: movePoint(depth, KILOMETRES_TO_METRES) as number },
    depthType: "from moment tensor inversion",
    timeFixed: true,
    epicenterFixed: true,
    type: "centroid",
  };
}

/** The row's magnitude, then those in other columns that are named for a type. */
function magnitudesOf(
  own: Magnitude | undefined,
  { extra, agency_id: agencyID, author }: SeismicEventRecord,
  cells: Cells,
  row: JsonObject,
): Content<Magnitude>[] {
  const creationInfo = present({
    agencyID: agencyID ?? undefined,
    author: author ?? undefined,
  });
  const isNamed = Object.keys(creationInfo).length > 0;
  const further = Object.entries({ ...row, ...extra }).flatMap(([column, value]) => {
    const type = magnitudeTypeOfName(column)?.name;
    if (type === undefined || type === own?.type || typeof value !== "number") return [];
    return [{ mag: { value }, type } as Content<Magnitude>];
  });
  const all = own === undefined ? further : [withoutIds(own) as Content<Magnitude>, ...further];
  return all.map((magnitude) => ({
    ...magnitude,
    ...ofType(magnitude, cells),
    ...(isNamed && magnitude.creationInfo === undefined && { creationInfo }),
  }));
}

/** What columns with a type's name in theirs say of its magnitude. */
function ofType({ mag, type = "", stationCount }: Content<Magnitude>, cells: Cells) {
  const named = (words: readonly string[]) => {
    const name = type.toLowerCase();
    return name === ""
      ? null
      : cells.number(...words.flatMap((word) => [word + name, name + word]));
  };
  const [stations, uncertainty] = [named(STATIONS), named(UNCERTAINTIES)];
  return {
    ...(uncertainty !== null &&
      uncertainty >= 0 &&
      mag.uncertainty === undefined && { mag: { ...mag, uncertainty } }),
    ...(stations !== null &&
      Number.isSafeInteger(stations) &&
      stationCount === undefined && { stationCount: stations }),
  };
}

function withoutIds<T extends object>(object: T): Omit<T, "publicID" | "originID"> {
  const {
    publicID: _,
    originID: __,
    ...rest
  } = object as T & {
    readonly publicID?: string;
    readonly originID?: string;
  };
  return rest;
}

/** What is said under ids that follow from it: the same row of the same event has the same ids. */
function withIds(said: Said, eventId: string): JoinedRow {
  const named = (kind: Kind, object: object) => {
    const publicID = serviceId(eventId, kind, JSON.stringify(object));
    const { momentTensor: tensors } = object as { readonly momentTensor?: readonly object[] };
    const momentTensor = tensors?.map((tensor) => ({
      ...withoutIds(tensor),
      publicID: serviceId(eventId, "momentTensor", JSON.stringify(object)),
    }));
    return { ...object, publicID, ...(momentTensor && { momentTensor }) };
  };
  const all = (kind: Kind, objects: readonly object[] | undefined) =>
    objects?.map((object) => named(kind, object));
  const picks = (said.pick ?? []).map(({ pick, residual }) => {
    const object = named("pick", pick);
    const { publicID: pickID } = object;
    const arrival = { pickID, phase: pick.phaseHint ?? "", timeResidual: residual };
    return { pick: object, ...(residual !== null && { arrival: named("arrival", arrival) }) };
  });
  return present({
    origin: said.origin && named("origin", said.origin),
    centroid: said.centroid && named("origin", said.centroid),
    magnitude: all("magnitude", said.magnitude),
    focalMechanism: all("focalMechanism", said.focalMechanism),
    picks,
  }) as unknown as JoinedRow;
}

/** What the columns of a table say of picks and mechanisms, by their names. */

type Cells = ReturnType<typeof cellsOf>;

/** The values of a row, those kept under `extra` too, by names compared as names of columns are. */
function cellsOf(row: JsonObject) {
  const values = new Map<string, JsonValue>();
  const add = (members: JsonObject): void => {
    for (const [name, value] of Object.entries(members)) {
      if (value === null || value === "" || typeof value === "object") continue;
      const normalised = normaliseName(name);
      if (!values.has(normalised)) values.set(normalised, value);
    }
  };
  add(row);
  const { extra } = row;
  if (isJsonObject(extra)) add(extra);

  /** The value under the first of the names that has one. */
  const value = (...names: readonly string[]): JsonValue | undefined => {
    const name = names.find((one) => values.has(one));
    return name === undefined ? undefined : values.get(name);
  };
  return {
    value,
    number(...names: readonly string[]): number | null {
      const found = value(...names);
      const number = typeof found === "string" && found.trim() !== "" ? Number(found) : found;
      return typeof number === "number" && Number.isFinite(number) ? number : null;
    },
    text(...names: readonly string[]): string | null {
      const found = value(...names);
      const text = found === undefined ? "" : String(found).trim();
      return text === "" ? null : text;
    },
  };
}

/** Characters of QuakeML's codes. */
const MAX_CODE = 8;
/** `NET.STA.LOC.CH`, of which parts may be missing at the end; also with `_` where all are there. */
const TRACE = /^(?:[^.\s]*\.[^.\s]+(?:\.[^.\s]*){0,2}|[^._\s]*_[^._\s]+_[^._\s]*_[^._\s]*)$/;
/** What a word for a seismic phase begins with. */
const PHASE = /^[PSIL][A-Za-z0-9*']{0,7}$/i;

/** Whose pick it is: pickers number events, and GaMMA's `id` is a station's. */
const EVENT_COLUMNS = [
  "sourceid",
  "eventid",
  "eventindex",
  "eventidx",
  "event",
  "publicid",
  "evid",
];

/**
 * The picks in a row of a picker's or associator's table: PhaseNet, SeisBench, PyOcto, GaMMA, EQTransformer, whose
 * rows have a P and an S. Null for a row that says no station, phase or time, or a place or magnitude as well; an
 * error for a pick whose time is missing or not understood.
 * @param given the row as a part of an event, whose time may be that of the pick
 */
function picksOfColumns(
  cells: Cells,
  given: GivenAttributes,
  nowMs: number,
): readonly ReturnType<typeof pickOf>[] | FieldError | null {
  const { record, errors } = given;
  const waveformID = waveformOf(cells);
  if (waveformID === null) return null;
  const named = cells.text("phase", "phasetype", "phasehint", "type");
  const own = named !== null && PHASE.test(named) ? named : null;
  let fault: FieldError | null = null;
  const timeOf = (value: unknown) =>
    readTime(timeText(value), { nowMs, missing: () => "is required" }, (field, message) => {
      fault ??= { field, message: `of the pick ${message}` };
      return null;
    });
  const picks = [...PICK_TIMES].flatMap(([column, told]) => {
    const [value, phase] = [cells.value(column), told ?? own];
    const time = value === undefined || phase === null ? null : timeOf(value);
    return time === null || phase === null
      ? []
      : [pickOf(cells, { time, phase, waveformID }, told)];
  });
  if (picks.length > 0 || fault !== null) return fault ?? picks;
  if (own === null) return null;
  if (record.time) return [pickOf(cells, { time: record.time, phase: own, waveformID }, null)];
  if (record.magnitude !== null || record.latitude !== null) return null;
  const { message = "is required" } = errors.find(({ field }) => field === "time") ?? {};
  return { field: "time", message: `of the pick ${message}` };
}

/** @param told the phase by whose name further columns of a pick are called, where it has such */
function pickOf(
  cells: Cells,
  {
    time,
    phase,
    waveformID,
  }: {
    readonly time: string;
    readonly phase: string;
    readonly waveformID: QuakemlObject<"WaveformStreamID">;
  },
  told: string | null,
) {
  const ofPhase = (...names: readonly string[]) =>
    told === null ? names : names.map((name) => told.toLowerCase() + name);
  const residuals = ofPhase("residual", "timeresidual");
  const residual = cells.number(...residuals);
  const score =
    cells.text(...ofPhase("probability", "score", "prob")) ??
    cells.text("phasescore", "probability", "prob", "score", "confidence", "peakvalue");
  const pick = {
    time: { value: time },
    waveformID,
    phaseHint: phase.length === 1 ? phase.toUpperCase() : phase,
    ...present({
      evaluationMode: score === null ? undefined : ("automatic" as const),
      foreign: ownValues("picker", {
        score: score ?? undefined,
        amplitude: cells.text("phaseamp", "phaseamplitude", "amp", "amplitude") ?? undefined,
        residual: (residual === null && cells.text(...residuals)) || undefined,
      }),
    }),
  };
  return { pick, residual };
}

/** Codes in columns of their own hold before those of a trace's id. */
function waveformOf(cells: Cells): QuakemlObject<"WaveformStreamID"> | null {
  const id = cells.text("id");
  const station = cells.text("station", "stationcode", "sta");
  const trace = cells.text("stationid", "traceid", "seedid") ?? (id && TRACE.test(id) ? id : null);
  const ids = [station, trace].filter((text) => text !== null);
  if (ids.length === 0) return null;
  const [network, code, location, channel] = (ids.find((text) => TRACE.test(text)) ?? "").split(
    /[._]/,
  );
  const bare = ids.find((text) => !TRACE.test(text));
  const waveform = {
    networkCode: cells.text("network", "networkcode", "net") ?? network ?? "",
    stationCode: bare ?? code ?? "",
    ...present({
      channelCode: (cells.text("channel", "channelcode", "cha") ?? channel) || undefined,
      locationCode: (cells.text("location", "locationcode", "loc") ?? location) || undefined,
    }),
  };
  return Object.values(waveform).every((part) => part.length <= MAX_CODE) ? waveform : null;
}

/** A time as text, also where it counts seconds since 1970. */
function timeText(value: unknown): unknown {
  return typeof value === "number" ? timeOfEpoch(value, "s") : value;
}

type Mechanism = NonNullable<JoinedRow["focalMechanism"]>[number];
type RowContent = Omit<Mechanism, "publicID" | "momentTensor"> & {
  readonly momentTensor?: Omit<NonNullable<Mechanism["momentTensor"]>[number], "publicID">;
};

/** IASPEI's, for a moment in N·m (Bormann and Di Giacomo, 2011). */
const MW_CONSTANT = 9.1;
const DYNE_CM = -7;
/** Between two units of moments there are 4.7 magnitudes. */
const MOMENT_TOLERANCE = 1;
/** Definitions of the scalar moment differ by less, in powers of ten. */
const SCALE_TOLERANCE = 0.2;
const PERCENT = 100;

type Component = "Mrr" | "Mtt" | "Mpp" | "Mrt" | "Mrp" | "Mtp";

/** The tensor's components in the axes up, south, east, by columns in those and in north, east, down. */
const COMPONENTS: readonly (readonly [Component, string, string, 1 | -1])[] = [
  ["Mrr", "mrr", "mzz", 1],
  ["Mtt", "mtt", "mxx", 1],
  ["Mpp", "mpp", "myy", 1],
  ["Mrt", "mrt", "mxz", 1],
  ["Mrp", "mrp", "myz", -1],
  ["Mtp", "mtp", "mxy", -1],
];
const AXES = [
  ["tAxis", "t"],
  ["pAxis", "p"],
  ["nAxis", "n"],
] as const;

/**
 * The mechanism in the columns of a table, as GeoNet publishes one (GeoNet/data, moment-tensor): planes,
 * scalar moment, tensor and axes. Units follow from the row itself: that of the moment from Mw, the scale
 * of the tensor from the moment. What has no unit then is left out.
 * @param mw the row's moment magnitude
 */
function mechanismOfColumns(cells: Cells, mw: number | null): RowContent | null {
  const [first, second] = [planeOf(cells, "1") ?? planeOf(cells, ""), planeOf(cells, "2")];
  const planes = present({ nodalPlane1: first, nodalPlane2: second });
  const moment = momentOf(cells, mw);
  const tensor = tensorOf(cells, moment);
  const axes = tensor && axesOf(cells, tensor.power);
  const momentTensor = moment === null ? null : tensorContent(cells, moment, tensor?.components);
  if (first === undefined && second === undefined && momentTensor === null) return null;
  return present({
    momentTensor: momentTensor ?? undefined,
    nodalPlanes: first === undefined && second === undefined ? undefined : planes,
    principalAxes: axes ?? undefined,
    foreign: ownValues("mechanism", { method: cells.text("method") ?? undefined }),
  });
}

function planeOf(cells: Cells, which: string): QuakemlObject<"NodalPlane"> | undefined {
  const angle = (...names: string[]) =>
    cells.number(...names.flatMap((name) => [name + which, `np${which}${name}`]));
  const [strike, dip, rake] = [angle("strike", "str"), angle("dip", "dp"), angle("rake", "slip")];
  if (strike === null || dip === null || rake === null) return undefined;
  return { strike: { value: strike }, dip: { value: dip }, rake: { value: rake } };
}

/** N·m. */
function momentOf(cells: Cells, mw: number | null): number | null {
  const given = cells.number("mo", "m0", "scalarmoment", "seismicmoment");
  if (given === null || given <= 0 || mw === null) return null;
  const expected = 1.5 * mw + MW_CONSTANT;
  const power = [0, DYNE_CM].find(
    (places) => Math.abs(Math.log10(given) + places - expected) < MOMENT_TOLERANCE,
  );
  return power === undefined ? null : (movePoint(given, power) as number);
}

function tensorOf(cells: Cells, moment: number | null) {
  const found = COMPONENTS.map(([name, spherical, cartesian, sign]) => {
    const value = cells.number(spherical);
    const other = cells.number(cartesian);
    return [name, value ?? (other === null ? null : sign * other)] as const;
  });
  if (moment === null || found.some(([, value]) => value === null)) return null;
  const squares = found.reduce(
    (sum, [, value], i) => sum + (i < 3 ? 1 : 2) * (value as number) ** 2,
    0,
  );
  const exact = Math.log10(moment) - Math.log10(Math.sqrt(squares / 2));
  const power = Math.round(exact);
  if (!(Math.abs(exact - power) < SCALE_TOLERANCE)) return null;
  const components = found.map(([name, value]) => [name, { value: movePoint(value, power) }]);
  return { power, components: Object.fromEntries(components) as QuakemlObject<"Tensor"> };
}

function axesOf(cells: Cells, power: number): QuakemlObject<"PrincipalAxes"> | null {
  const axes = AXES.flatMap(([name, letter]) => {
    const part = (of: string) => cells.number(letter + of);
    const [length, plunge, azimuth] = [part("va"), part("pl"), part("az")];
    if (length === null || plunge === null || azimuth === null) return [];
    const axis = {
      azimuth: { value: azimuth },
      plunge: { value: plunge },
      length: { value: movePoint(length, power) as number },
    };
    return [[name, axis]];
  });
  const { tAxis, pAxis, nAxis } = Object.fromEntries(axes);
  return tAxis && pAxis ? { tAxis, pAxis, ...(nAxis && { nAxis }) } : null;
}

function tensorContent(
  cells: Cells,
  moment: number,
  tensor: QuakemlObject<"Tensor"> | undefined,
): NonNullable<RowContent["momentTensor"]> {
  const stations = cells.number("ns", "nsta", "stations");
  const couple = cells.number("dc", "doublecouple", "percentdc", "dcpercent");
  return present({
    dataUsed:
      stations !== null && Number.isSafeInteger(stations)
        ? [{ waveType: "unknown" as const, stationCount: stations }]
        : undefined,
    scalarMoment: { value: moment },
    tensor,
    varianceReduction: cells.number("vr", "variancereduction") ?? undefined,
    doubleCouple: couple === null ? undefined : couple > 1 ? couple / PERCENT : couple,
  });
}

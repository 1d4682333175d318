/** What the columns of a table say of picks and mechanisms, by their names. */

import type { QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { PICK_TIMES } from "#contracts/seismic-event/columns.ts";
import { movePoint, normaliseName } from "#contracts/seismic-event/names.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "#contracts/seismic-event/seismic-event.ts";
import { ownValues, present } from "#infra/formats/bulletin/members.ts";
import { timeOfEpoch } from "#infra/formats/file-sense.ts";
import type { JoinedRow } from "#services/domain/bulletins/join.ts";
import { type FieldError, readTime } from "#services/domain/events/validation/event-draft.ts";
import type { GivenAttributes } from "#services/domain/events/validation/validate-event.ts";

/** The values of a row, those kept under `extra` too, by names compared as names of columns are. */
export type Cells = {
  /** The value under the first of the names that has one. */
  readonly value: (...names: readonly string[]) => JsonValue | undefined;
  readonly number: (...names: readonly string[]) => number | null;
  readonly text: (...names: readonly string[]) => string | null;
};

export function cellsOf(row: JsonObject): Cells {
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

  const value: Cells["value"] = (...names) => {
    const name = names.find((one) => values.has(one));
    return name === undefined ? undefined : values.get(name);
  };
  return {
    value,
    number(...names) {
      const found = value(...names);
      const number = typeof found === "string" && found.trim() !== "" ? Number(found) : found;
      return typeof number === "number" && Number.isFinite(number) ? number : null;
    },
    text(...names) {
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
export const EVENT_COLUMNS = [
  "sourceid",
  "eventid",
  "eventindex",
  "eventidx",
  "event",
  "publicid",
  "evid",
];

export type SaidPick = {
  readonly pick: Omit<QuakemlObject<"Pick">, "publicID">;
  /** Of the arrival at the event's origin, seconds. */
  readonly residual: number | null;
};

/**
 * The picks in a row of a picker's or associator's table: PhaseNet, SeisBench, PyOcto, GaMMA, EQTransformer, whose
 * rows have a P and an S. Null for a row that says no station, phase or time, or a place or magnitude as well; an
 * error for a pick whose time is missing or not understood.
 * @param given the row as a part of an event, whose time may be that of the pick
 */
export function picksOfColumns(
  cells: Cells,
  given: GivenAttributes,
  nowMs: number,
): readonly SaidPick[] | FieldError | null {
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
): SaidPick {
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
type Content = Omit<Mechanism, "publicID" | "momentTensor"> & {
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
export function mechanismOfColumns(cells: Cells, mw: number | null): Content | null {
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
): NonNullable<Content["momentTensor"]> {
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

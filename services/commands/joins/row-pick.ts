import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { PICK_TIMES } from "#contracts/seismic-event/named-columns.ts";
import { present } from "#infra/formats/bulletin/members.ts";
import { ownValues } from "#infra/formats/bulletin/names.ts";
import { timeOfEpoch } from "#infra/formats/file-sense.ts";
import type { FieldError } from "#services/domain/events/validation/event-draft.ts";
import { readTime } from "#services/domain/events/validation/event-time.ts";
import type { GivenAttributes } from "#services/domain/events/validation/validate-event.ts";
import type { Cells } from "./cells.ts";

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

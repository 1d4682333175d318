import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { microsToTime } from "#contracts/seismic-event/origin-time.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import { ownValues } from "#infra/formats/lines/own.ts";
import { present } from "#infra/formats/lines/present.ts";
import type { Cells } from "./cells.ts";

/** Characters of QuakeML's codes. */
const MAX_CODE = 8;
/** `NET.STA.LOC.CH`, of which parts may be missing at the end. */
const TRACE = /^[^.\s]*\.[^.\s]+(?:\.[^.\s]*){0,2}$/;
/** What a word for a seismic phase begins with. */
const PHASE = /^[PSIL][A-Za-z0-9*']{0,7}$/i;
const FRACTION_DIGITS = 6;

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

/**
 * The pick in a row of a picker's or associator's table: PhaseNet, SeisBench, PyOcto, GaMMA. Null for a
 * row that has not a station, a phase and a time of arrival.
 * @param rowTime of the row's own column of times
 */
export function pickOfColumns(
  cells: Cells,
  rowTime: string,
): Omit<QuakemlObject<"Pick">, "publicID"> | null {
  const phase = cells.text("phasetype", "phase", "phasehint", "type");
  const waveformID = waveformOf(cells);
  if (waveformID === null || phase === null || !PHASE.test(phase)) return null;
  const time = timeOf(cells.value("phasetime", "picktime", "arrivaltime")) ?? rowTime;
  if (time === "") return null;
  const score = cells.text("phasescore", "probability", "prob", "score", "confidence");
  return {
    time: { value: time },
    waveformID,
    phaseHint: phase.length === 1 ? phase.toUpperCase() : phase,
    ...present({
      evaluationMode: score === null ? undefined : ("automatic" as const),
      foreign: ownValues("picker", {
        score: score ?? undefined,
        amplitude: cells.text("phaseamp", "phaseamplitude", "amp", "amplitude") ?? undefined,
        residual: cells.text("residual") ?? undefined,
      }),
    }),
  };
}

function waveformOf(cells: Cells): QuakemlObject<"WaveformStreamID"> | null {
  const id = cells.text("id");
  const named = cells.text("stationid", "traceid", "station", "stationcode", "sta");
  const trace = named ?? (id !== null && TRACE.test(id) ? id : null);
  if (trace === null) return null;
  const codes = TRACE.test(trace) ? trace.split(".") : ["", trace];
  const [networkCode = "", stationCode = "", locationCode = "", channelCode = ""] = codes;
  const waveform = {
    networkCode: networkCode || (cells.text("network", "networkcode", "net") ?? ""),
    stationCode,
    ...present({
      channelCode: channelCode || (cells.text("channel", "channelcode", "cha") ?? undefined),
      locationCode: locationCode || (cells.text("location", "locationcode", "loc") ?? undefined),
    }),
  };
  return Object.values(waveform).every((code) => code.length <= MAX_CODE) ? waveform : null;
}

/** A time as text, or in seconds since 1970. */
function timeOf(value: unknown): string | null {
  if (typeof value === "string") return parseTime(value);
  if (typeof value !== "number" || !Number.isFinite(value)) return null;
  return microsToTime(BigInt(Math.round(value * 1e6)), FRACTION_DIGITS);
}

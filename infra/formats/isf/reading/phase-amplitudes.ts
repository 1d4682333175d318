import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { canonicalJson } from "../../canonical/canonical-json.ts";
import { serviceId } from "../../quakeml/shared/service-id.ts";
import { type Draft, hasValue, putForeign } from "../shared/drafts.ts";
import type { PhaseLine } from "./event-lines.ts";
import { type PhaseParts, saidIn } from "./phase-parts.ts";

/** What an amplitude or a magnitude of a line belongs to. */
export type Belonging = {
  readonly place: number;
  readonly waveformID: Draft;
  readonly pickID: string | undefined;
  readonly originID: string | undefined;
  /** Of the amplitude. */
  readonly type?: string | undefined;
};

/** What an amplitude and a magnitude became; `holder` is the first that was added. */
export type Added = { readonly holder: Draft | undefined; readonly hasAmplitude: boolean };

/**
 * Adds the amplitude and the station magnitude of a line, if it has any. Values that need an amplitude or
 * a magnitude to which they belong stay with `holder` otherwise.
 */
export function addMeasures(
  parts: PhaseParts,
  source: PhaseLine,
  belonging: Belonging,
  holder: Draft | undefined,
): Added {
  const { amplitude: measured, stationMagnitude: rated } = source.drafts;
  const { place, pickID, originID, waveformID: ofPick, type } = belonging;
  const channelCode = saidIn(source).amplitudeChannel;
  const { channelCode: _, ...station } = ofPick;
  const waveformID = { ...station, ...(channelCode !== undefined && { channelCode }) };
  const publicID = serviceId(parts.eventId, "amplitude", place);
  const added: Draft[] = [];

  const hasAmplitude = hasValue(measured?.["genericAmplitude"]);
  const hasMagnitude = hasValue(rated?.["mag"]);
  if (measured !== undefined && !hasAmplitude && holder !== undefined) keepApart(measured, holder);
  const amplitude: Draft | undefined = hasAmplitude
    ? {
        publicID,
        ...whole(measured as Draft),
        unit: "m",
        ...(type !== undefined && { type }),
        ...(pickID !== undefined && { pickID }),
        waveformID,
        ...(!hasMagnitude && rated?.["type"] !== undefined && { magnitudeHint: rated["type"] }),
      }
    : undefined;
  let amplitudeID: string | undefined;
  if (amplitude !== undefined) {
    amplitudeID = repeatedId(parts, amplitude, source.originId);
    if (amplitudeID === undefined) added.push(amplitude);
    amplitudeID ??= publicID;
  }
  if (hasMagnitude && originID !== undefined) {
    const magnitude: Draft = {
      publicID: serviceId(parts.eventId, "stationMagnitude", place),
      originID,
      ...rated,
      ...(amplitudeID !== undefined && { amplitudeID }),
      waveformID,
    };
    if (amplitudeID === undefined && pickID !== undefined) putForeign(magnitude, "pickID", pickID);
    parts.stationMagnitudes.push(magnitude);
    added.push(magnitude);
  } else if (rated !== undefined && holder !== undefined) {
    keepApart(amplitude === undefined ? rated : { ...rated, type: undefined }, holder);
  }
  if (amplitude !== undefined && added.includes(amplitude)) parts.amplitudes.push(amplitude);
  return { holder: added[0], hasAmplitude };
}

/** The id of an amplitude that a line of another origin has said already. */
function repeatedId(
  { repeatable }: PhaseParts,
  amplitude: Draft,
  originId: string | null,
): string | undefined {
  if (amplitude["pickID"] === undefined) return undefined;
  const { publicID, ...said } = amplitude;
  const key = canonicalJson(said as JsonObject);
  const earlier = repeatable.get(key);
  if (earlier !== undefined && earlier.originId !== originId) return earlier.publicID;
  repeatable.set(key, { publicID: publicID as string, originId });
  return undefined;
}

/** Without a quantity that has an uncertainty alone, which then stands beside. */
function whole(measured: Draft): Draft {
  const { period, ...rest } = measured;
  if (period === undefined || hasValue(period)) return measured;
  const { uncertainty } = period as Draft;
  putForeign(rest, "periodUncertainty", String(uncertainty));
  return rest;
}

/** Keeps the values of an object that cannot be one as foreign elements of another. */
export function keepApart(values: Draft, holder: Draft): void {
  for (const [name, value] of Object.entries(values)) {
    if (name === "foreign") holder.foreign = [...(holder.foreign ?? []), ...(values.foreign ?? [])];
    else if (typeof value === "object") {
      for (const [inner, text] of Object.entries(value as Draft)) {
        putForeign(holder, inner === "value" ? name : nameWith(name, inner), String(text));
      }
    } else if (value !== undefined) {
      putForeign(holder, name === "type" ? "magnitudeType" : name, String(value));
    }
  }
}

function nameWith(name: string, inner: string): string {
  return name + inner.slice(0, 1).toUpperCase() + inner.slice(1);
}

import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { ownValues } from "../lines/own.ts";
import { present } from "../lines/present.ts";
import { serviceId } from "../quakeml/shared/service-id.ts";
import { kindOf, type PhaseLine } from "./phase-line.ts";

/** Which magnitude a reading is for, by its name (IASPEI's, and SEISAN's older ones). */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^I?AML/, "ML"],
  [/^I?AMB|^I?Amb/, "mb"],
  [/^I?V?MB_BB|^IVmB/, "mB"],
  [/^I?AMS|^I?[AV]Ms/, "Ms"],
];

/**
 * The amplitude and the coda that a line has, each of the line's pick. What else stands on the line of
 * an amplitude is kept: its residual is that of the station's magnitude.
 */
export function makeAmplitude(
  phase: PhaseLine,
  { publicID: pickID, waveformID }: QuakemlObject<"Pick">,
  hasNoise: boolean,
): QuakemlObject<"Amplitude">[] {
  const readings: QuakemlObject<"Amplitude">[] = [];
  const isArrival = kindOf(phase.phase) === "arrival";
  const kept = isArrival ? [] : keptOf(phase);
  const more = {
    ...present({ snr: hasNoise ? phase.angle : undefined }),
    pickID,
    waveformID,
    ...present({ foreign: kept }),
  };
  const { amplitude, period, coda } = phase;
  if (amplitude !== undefined) {
    readings.push({
      publicID: serviceId(pickID, "amplitude", "amplitude"),
      genericAmplitude: { value: amplitude },
      type: isArrival ? "A" : phase.phase.replace(/^I(?=AML)/, ""),
      category: "point",
      unit: /^I?V/.test(phase.phase) ? "m/s" : "m",
      ...present({
        period: period === undefined ? undefined : { value: period },
        magnitudeHint: HINTS.find(([name]) => name.test(phase.phase))?.[1],
      }),
      ...more,
    });
  }
  if (coda !== undefined) {
    readings.push({
      publicID: serviceId(pickID, "amplitude", "coda"),
      genericAmplitude: { value: coda },
      type: "END",
      category: "duration",
      unit: "s",
      magnitudeHint: "Mc",
      ...more,
    });
  }
  return readings;
}

function keptOf(phase: PhaseLine) {
  const text = (value: number | undefined) => (value === undefined ? undefined : String(value));
  return ownValues("reading", {
    magnitudeResidual: text(phase.residual),
    weight: text(phase.finalWeight),
    distanceKm: text(phase.distanceKm),
    azimuth: text(phase.azimuth),
  });
}

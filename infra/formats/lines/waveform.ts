import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { own } from "./own.ts";
import { present } from "./present.ts";

/** Characters of QuakeML's codes. */
const MAX_CODE = 8;
/** Programs that have no networks are given them in front of the station. */
const WITH_NETWORK = /^([A-Za-z0-9]{1,2})\.([A-Za-z0-9]{1,8})$/;

/**
 * The stream of a station where a format has no networks. A code that is too long for QuakeML is cut,
 * and kept whole beside it.
 */
export function waveformOf(station: string, channel?: string): QuakemlObject<"WaveformStreamID"> {
  const [, networkCode = "", stationCode = station] = WITH_NETWORK.exec(station) ?? [];
  const codes = { station: stationCode, channel: channel ?? "" };
  return {
    networkCode,
    stationCode: stationCode.slice(0, MAX_CODE),
    ...present({
      channelCode: channel?.slice(0, MAX_CODE) || undefined,
      foreign: Object.entries(codes)
        .filter(([, code]) => code.length > MAX_CODE)
        .map(([name, code]) => own(name, code)),
    }),
  };
}

import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { generateEvents } from "../generate-catalogue.ts";
import { writeXml } from "./geonet-xml.ts";
import type { ServedEvent } from "./served-catalogue.ts";

/** Public ids as BGR and others make them: the last parts of many are the same. */
export function publicIdOf(i: number): string {
  const date = new Date(Date.UTC(2015, 0, 1 + i)).toISOString().slice(0, 10).replaceAll("-", "");
  return i % 3 === 0
    ? `smi:local/event/${date}0944/-32.73/116.${i % 5}/`
    : `smi:de.bgr/out.scb/${date}062151/event/${1 + (i % 2)}`;
}

export function publicIdEvents(seed: number, count: number): ServedEvent[] {
  return [...generateEvents(seed, count)].map((row, i) => servedUnder(publicIdOf(i), row));
}

export function servedUnder(publicId: string, row: JsonObject): ServedEvent {
  const xml = writeXml({ row: { ...row, source_id: "own" } }, 0);
  return {
    row: { ...row, source_id: publicId },
    xml: xml.replace(/<event publicID="[^"]*"/, `<event publicID="${publicId}"`),
  };
}

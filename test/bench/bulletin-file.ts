import { servedEvents } from "../support/agency/generated-events.ts";
import { writeXml, XML_HEAD, XML_TAIL } from "../support/agency/geonet-xml.ts";

/** A file of QuakeML as GeoNet writes it: `events` generated events of `picks` picks and arrivals each. */
export function bulletinFile(events: number, picks: number): Buffer {
  const pieces = [XML_HEAD];
  for (const event of servedEvents(1, events)) pieces.push(writeXml(event, picks));
  return Buffer.from(`${pieces.join("")}${XML_TAIL}`);
}

/**
 * The test agency of a dialect as a process of its own, which is told what changes. Posts its address, and at each
 * change how many requests it has been asked since the last.
 */

import type { ServedDialect } from "../../support/agency/fdsn-query.ts";
import { writeXml } from "../../support/agency/geonet-xml.ts";
import type { ServedEvent } from "../../support/agency/served-catalogue.ts";
import { startTestAgency } from "../../support/agency/test-agency.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";

/** What changes at the agency, in numbers of events. */
export type AgencyChange = { readonly changed: number; readonly withdrawn: number };

const [dialect, count] = process.argv.slice(2) as [ServedDialect, string];
/** Generated ones are of 2015 to 2022: these are all in the last ten years, until 2028. */
const LATER_YEARS = 3;

const events: ServedEvent[] = [...generateEvents(1, Number(count))].map((row) => {
  const time = String(row["time"]).replace("-02-29", "-02-28");
  const later = `${Number(time.slice(0, 4)) + LATER_YEARS}${time.slice(4)}`;
  const event = { row: { ...row, time: later } };
  return { ...event, xml: writeXml(event, 0) };
});
const agency = await startTestAgency({ dialect, events });
let told = 0;
let at = 0;

process.on("message", ({ changed, withdrawn }: AgencyChange) => {
  for (let i = 0; i < changed + withdrawn; i += 1) {
    // Here and there in the window.
    at = (at + Math.floor(events.length / 7)) % agency.catalogue.events().length;
    const { row } = agency.catalogue.events()[at] as ServedEvent;
    const magnitude = Number(row["magnitude"]) + 0.1;
    const better = { row: { ...row, magnitude }, updatedMs: Date.now() };
    agency.catalogue.replace(String(row["source_id"]), i < changed ? better : null);
  }
  process.send?.(agency.requests.length - told);
  told = agency.requests.length;
});
// Whoever started it is gone.
process.on("disconnect", () => process.exit());
process.send?.(agency.url);

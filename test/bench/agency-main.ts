/**
 * The test agency as a process of its own, so that what it costs is not the service's, nor the measurer's. Posts its
 * address; told what changes, it posts how many requests it has been asked since the last time.
 */

import type { ServedDialect } from "../support/agency/fdsn-query.ts";
import { servedEvents } from "../support/agency/generated-events.ts";
import { writeXml } from "../support/agency/geonet-xml.ts";
import type { ServedEvent } from "../support/agency/served-catalogue.ts";
import { startTestAgency } from "../support/agency/test-agency.ts";

/** What changes at the agency, in numbers of events. */
export type AgencyChange = { readonly changed: number; readonly withdrawn: number };

const MOST_WRITTEN = 300_000;

const [dialect, count, picks, laterYears] = process.argv.slice(2) as [ServedDialect, ...string[]];
const events = [...servedEvents(1, Number(count))].map((event) => {
  const time = String(event.row["time"]).replace("-02-29", "-02-28");
  const later = `${Number(time.slice(0, 4)) + Number(laterYears)}${time.slice(4)}`;
  return { ...event, row: { ...event.row, time: later } };
});
/** Written before, unless they would not fit into memory. */
const written =
  picks === "0" && events.length <= MOST_WRITTEN
    ? events.map((event) => ({ ...event, xml: writeXml(event, 0) }))
    : events;
const agency = await startTestAgency({ dialect, events: written, picks: Number(picks) });
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

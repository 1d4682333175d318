/** The test agency as a process of its own: what it costs is not the service's, nor the measurer's. */

import { servedEvents } from "../support/agency/generated-events.ts";
import { writeXml } from "../support/agency/geonet-xml.ts";
import { startTestAgency } from "../support/agency/test-agency.ts";

const MOST_WRITTEN = 300_000;

const [count, picks] = process.argv.slice(2).map(Number) as [number, number];
const events = [...servedEvents(1, count)];
/** Written before, unless they would not fit into memory. */
const written =
  picks === 0 && count <= MOST_WRITTEN
    ? events.map((event) => ({ ...event, xml: writeXml(event, 0) }))
    : events;
const agency = await startTestAgency({ events: written, picks });
process.stdout.write(`${agency.url}\n`);
process.on("SIGTERM", () => {
  void agency.close();
});

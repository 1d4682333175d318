import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { createQuakemlReader } from "#infra/formats/quakeml/reader.ts";
import { atOnce } from "#infra/kernel/iteration.ts";
import type { ServedEvent } from "./served-catalogue.ts";

export type ServedExport = { readonly events: readonly ServedEvent[]; readonly xmlHead: string };

/** A QuakeML export of this service, as the test agency serves it back: each event as it was written. */
export function servedExport(quakeml: string): ServedExport {
  const rows: JsonObject[] = [];
  const reader = createQuakemlReader({
    row: (row) => rows.push(row),
    error: (line, message) => {
      throw new Error(`line ${line}: ${message}`);
    },
    warning() {},
  });
  reader.write(quakeml);
  atOnce(reader.end());
  const elements = quakeml.match(/<event [\s\S]*?<\/event>\n/g) ?? [];
  return {
    events: rows.map((row, i) => ({ row, xml: elements[i] ?? "" })),
    xmlHead: quakeml.slice(0, quakeml.indexOf("<event ")),
  };
}

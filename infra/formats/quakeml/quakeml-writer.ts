import { OWN_AUTHORITY } from "#contracts/seismic-event/own-public-id.ts";
import type { ExportedCatalogue, FormatWriter } from "../format-writer.ts";
import { metadataText } from "../metadata-text.ts";
import { xmlText } from "../xml/xml-text.ts";
import { OWN_NAMESPACE, OWN_PREFIX } from "./shared/event-ids.ts";
import { escapeXml, isExpressible } from "./shared/xml-text.ts";
import { type QuakemlContents, writeEvent } from "./write-event.ts";

const BED = "http://quakeml.org/xmlns/bed/1.2";
const QUAKEML = "http://quakeml.org/xmlns/quakeml/1.2";

/**
 * A writer of QuakeML 1.2 BED, valid by its schema. Each row becomes an event with one origin, its
 * magnitude and its focal mechanisms; depth and uncertainties are in metres, preferred ids always
 * present. Data without a place in the schema go into an element of our own at the end of the event,
 * so that `createQuakemlReader` restores every attribute exactly.
 * @param contents what events hold beside themselves; by default nothing
 */
export function createQuakemlWriter(
  { catalogue, version, exportedAt }: ExportedCatalogue,
  contents?: QuakemlContents,
): FormatWriter {
  return {
    begin() {
      const name = isExpressible(catalogue.name) ? escapeXml(catalogue.name) : "";
      const described = metadataText(catalogue.metadata);
      return (
        `<?xml version="1.0" encoding="UTF-8"?>\n` +
        `<q:quakeml xmlns:q="${QUAKEML}" xmlns="${BED}" xmlns:${OWN_PREFIX}="${OWN_NAMESPACE}">\n` +
        `<eventParameters publicID="${OWN_AUTHORITY}catalogue/${catalogue.id}/${version}">\n` +
        `<description>${name}</description>` +
        (described && `<comment><text>${xmlText(described)}</text></comment>`) +
        `<creationInfo><creationTime>${exportedAt}</creationTime><version>${version}</version></creationInfo>\n`
      );
    },
    row: (row) => writeEvent(row, contents),
    end: () => "</eventParameters>\n</q:quakeml>\n",
  };
}

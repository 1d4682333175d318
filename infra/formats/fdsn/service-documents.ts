import { PARAMETERS } from "#contracts/fdsn/parameters.ts";
import { cleanText } from "../delimited/fdsn-text-writer.ts";
import { xmlText } from "../xml/xml-text.ts";

/**
 * The answer of the method `catalogs`: the names as the text format's column Catalog has them. Clients
 * read it without a namespace.
 */
export function catalogsXml(names: readonly string[]): string {
  return listXml("Catalogs", "Catalog", names);
}

/** The answer of the method `contributors`, as the text format's column Contributor has them. */
export function contributorsXml(names: readonly string[]): string {
  return listXml("Contributors", "Contributor", names);
}

/** ComCat's description of what a service holds, `application.json`. */
export function applicationJson({
  catalogs,
  contributors,
  magnitudeTypes,
}: {
  readonly catalogs: readonly string[];
  readonly contributors: readonly string[];
  /** Of the events that the service has. */
  readonly magnitudeTypes: readonly string[];
}): string {
  return JSON.stringify({
    catalogs: catalogs.map(cleanText),
    contributors: contributors.map(cleanText),
    producttypes: [],
    eventtypes: PARAMETERS.eventtype.options.filter((type) => type !== "*"),
    magnitudetypes: magnitudeTypes,
  });
}

function listXml(list: string, item: string, names: readonly string[]): string {
  const items = names.map((name) => `<${item}>${xmlText(cleanText(name))}</${item}>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${list}>${items.join("")}</${list}>\n`;
}

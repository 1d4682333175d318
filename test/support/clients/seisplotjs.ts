import { parseHTML, DOMParser as XmlParser } from "linkedom";

// seisplotjs is written for browsers: it reads XML by their parser and extends their elements.
const { window } = parseHTML("<!doctype html>");
const { DOMParser, HTMLElement, HTMLDivElement, customElements, document } = window as never;
Object.assign(globalThis, { window, DOMParser, HTMLElement, HTMLDivElement, customElements });
Object.assign(globalThis, { document });

/** seisplotjs, with as much of a browser as it needs. */
export const seisplotjs = await import("seisplotjs");
// A browser resolves its referrer against the page.
seisplotjs.util.setDefaultFetch((url, init) => fetch(url, { ...init, referrer: "" }));

type XmlDocument = Parameters<typeof seisplotjs.quakeml.parseQuakeML>[0];

/** A document as seisplotjs takes it. */
export function parseXml(text: string): XmlDocument {
  return new XmlParser().parseFromString(text, "text/xml") as unknown as XmlDocument;
}

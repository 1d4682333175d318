import { scmlVersion } from "../xml/content-namespaces.ts";

/** The version that our writer writes. */
export const SCML_VERSION = "0.13";
export const SCML_NAMESPACE = `http://geofon.gfz-potsdam.de/ns/seiscomp3-schema/${SCML_VERSION}`;

/** The latest minor version of 0 that is known. */
const LATEST_MINOR = 14;

/** What is to be said of a document by the namespace of its content; null of a known version's. */
export function remarkOnVersion(namespace: string): string | null {
  const version = scmlVersion(namespace);
  if (version === null) {
    return `the namespace ${JSON.stringify(namespace.slice(0, 200))} is none of SCML's`;
  }
  const { major, minor } = version;
  if (major === 0 && minor <= LATEST_MINOR) return null;
  return `SCML ${major}.${minor} is not known and is read as 0.${LATEST_MINOR}, the latest that is`;
}

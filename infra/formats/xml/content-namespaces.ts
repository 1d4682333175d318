/** What is told of a namespace in which QuakeML's own elements stand, of any version. */
const QUAKEML_HOST = "quakeml.org/";

/** SCML's: `seiscomp3-schema` to 0.13, `seiscomp-schema` from 0.14. */
const SCML = /^https?:\/\/geofon\.gfz(?:-potsdam)?\.de\/ns\/seiscomp3?-schema\/(\d+)\.(\d+)$/;

export function isQuakemlNamespace(ns: string): boolean {
  return ns.includes(QUAKEML_HOST);
}

export function isScmlNamespace(ns: string): boolean {
  return scmlVersion(ns) !== null;
}

/** The version of SCML whose namespace it is; null for another namespace. */
export function scmlVersion(ns: string): { readonly major: number; readonly minor: number } | null {
  const [, major, minor] = SCML.exec(ns) ?? [];
  return major === undefined || minor === undefined
    ? null
    : { major: Number(major), minor: Number(minor) };
}

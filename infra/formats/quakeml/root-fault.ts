/** Why a document with this root element is not read. */
export function rootFault(name: string): string {
  return name === "seiscomp"
    ? "this is SeisComP's own XML (SC3ML), not QuakeML: export it as QuakeML"
    : `this is not QuakeML: the root element is ${JSON.stringify(name.slice(0, 100))}`;
}

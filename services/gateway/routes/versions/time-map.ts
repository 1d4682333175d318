import type { CatalogueVersion } from "#contracts/http/catalogue.ts";

export const LINK_FORMAT = "application/link-format";

/**
 * The versions of a catalogue as a time map (RFC 7089, 5; RFC 6690), oldest first.
 * @param address the catalogue's
 * @param versions newest first
 */
export function timeMap(address: string, versions: readonly CatalogueVersion[]): string {
  const inOrder = versions.toReversed();
  const [first, last] = [inOrder.at(0), inOrder.at(-1)];
  const span = first && last ? `; from="${datetime(first)}"; until="${datetime(last)}"` : "";
  const mementos = inOrder.map((version) => {
    const places = [version === first && "first", version === last && "last", "memento"];
    const rel = places.filter(Boolean).join(" ");
    return `<${address}/versions/${version.version}>; rel="${rel}"; datetime="${datetime(version)}"`;
  });
  const links = [
    `<${address}>; rel="original"`,
    `<${address}/events>; rel="timegate"`,
    `<${address}/versions>; rel="self"; type="${LINK_FORMAT}"${span}`,
    ...mementos,
  ];
  return `${links.join(",\n")}\n`;
}

function datetime({ created_at: committedAt }: CatalogueVersion): string {
  return new Date(committedAt).toUTCString();
}

import type { CatalogueVersion } from "#contracts/http/catalogue.ts";

export const LINK_FORMAT = "application/link-format";

/**
 * The versions of a catalogue as a time map (RFC 7089, 5; RFC 6690), oldest first.
 * @param address the catalogue's
 * A long one has parts, of which each leads to the one with the versions before (RFC 7089, 5.1.2).
 * @param versions newest first
 * @param cursor of this part; absent for the newest
 * @param nextCursor of the part before; null for the oldest
 */
export function timeMap(
  address: string,
  versions: readonly CatalogueVersion[],
  cursor: string | undefined,
  nextCursor: string | null,
): string {
  const inOrder = versions.toReversed();
  const [first, last] = [inOrder.at(0), inOrder.at(-1)];
  const part = (of: string | undefined) =>
    `<${address}/versions${of === undefined ? "" : `?cursor=${of}`}>`;
  const span = first && last ? `; from="${datetime(first)}"; until="${datetime(last)}"` : "";
  const mementos = inOrder.map((version) => {
    const isFirst = version === first && nextCursor === null;
    const isLast = version === last && cursor === undefined;
    const places = [isFirst && "first", isLast && "last", "memento"];
    const rel = places.filter(Boolean).join(" ");
    return `<${address}/versions/${version.version}>; rel="${rel}"; datetime="${datetime(version)}"`;
  });
  const links = [
    `<${address}>; rel="original"`,
    `<${address}/events>; rel="timegate"`,
    `${part(cursor)}; rel="self"; type="${LINK_FORMAT}"${span}`,
    ...(nextCursor === null ? [] : [`${part(nextCursor)}; rel="timemap"; type="${LINK_FORMAT}"`]),
    ...mementos,
  ];
  return `${links.join(",\n")}\n`;
}

function datetime({ created_at: committedAt }: CatalogueVersion): string {
  return new Date(committedAt).toUTCString();
}

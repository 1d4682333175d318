import type { Foreign, ForeignAttribute } from "#contracts/bulletin/bulletin.ts";

/** A foreign element; empty lists and blanks between children are nothing. */
export function elementOf(
  ns: string,
  name: string,
  text: string,
  attributes: readonly ForeignAttribute[],
  children: readonly Foreign[],
): Foreign {
  // Between children, blanks are layout.
  const isLayout = text === "" || (children.length > 0 && text.trim() === "");
  return {
    ns,
    name,
    ...(!isLayout && { text }),
    ...(attributes.length > 0 && { attributes }),
    ...(children.length > 0 && { children }),
  };
}

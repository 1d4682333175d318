/** Elements for text that needs no escape; "" without text. */

export function simple(name: string, text: string | null | undefined): string {
  return text === null || text === undefined ? "" : `<${name}>${text}</${name}>`;
}

export function wrapped(name: string, xml: string): string {
  return xml === "" ? "" : `<${name}>${xml}</${name}>`;
}

export function quantity(
  name: string,
  value: string | null | undefined,
  uncertainty: string | null | undefined,
): string {
  return `<${name}><value>${value}</value>${simple("uncertainty", uncertainty)}</${name}>`;
}

/** Elements for text that needs no escape; "" without text. */

export function simple(name: string, text: string | null | undefined): string {
  return text === null || text === undefined ? "" : `<${name}>${text}</${name}>`;
}

export function wrapped(name: string, xml: string): string {
  return xml === "" ? "" : `<${name}>${xml}</${name}>`;
}

/** Characters other than printable ASCII without markup: only text with such needs a closer look. */
export const UNUSUAL = /[^ !#-%'-;=?-~]/;
/** What XML 1.0 cannot express, and the carriage return, which readers turn into a line feed. */
const INEXPRESSIBLE = /[^\t\n\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;
const EVERY_NONCHARACTER = /[\uFFFE\uFFFF]/g;

/** By the code of the character. */
const ENTITIES: readonly (string | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const names: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot" };
  const name = names[String.fromCharCode(code)];
  return name === undefined ? undefined : `&${name};`;
});

/** Escapes text for an element or a double-quoted attribute; the text must be expressible. */
export function escapeXml(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  let escaped = "";
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const entity = ENTITIES[text.charCodeAt(at)];
    if (entity === undefined) continue;
    escaped += text.slice(from, at) + entity;
    from = at + 1;
  }
  return escaped + text.slice(from);
}

/** True for text that XML can express and readers restore, including its blanks. */
export function isExpressible(text: string): boolean {
  return !UNUSUAL.test(text) || !INEXPRESSIBLE.test(text);
}

/** True for text that also survives readers that strip surrounding blanks as layout. */
export function isExact(text: string): boolean {
  return isExpressible(text) && text !== "" && text.trim() === text;
}

/** Escapes JSON text for an element: JSON escapes control characters, but not all non-characters. */
export function escapeJson(json: string): string {
  if (!UNUSUAL.test(json)) return json;
  return escapeXml(
    json.replaceAll(EVERY_NONCHARACTER, (character) =>
      character === "\uFFFE" ? "\\ufffe" : "\\uffff",
    ),
  );
}

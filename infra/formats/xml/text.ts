/**
 * Text as XML has it: for people, with a replacement for what XML cannot express, and exactly,
 * for readers that restore it.
 */

/** Text that needs no escape in XML: no markup, no carriage return, nothing beyond 16 bits. */
const PLAIN = /^[\t\n -%'-;=?-\ud7ff\ue000-\ufffd]*$/;

/** What XML 1.0 cannot express: most control characters, two non-characters, lone surrogates. */
const UNWRITABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** With U+FFFD, the replacement character, for what XML cannot express. */
export function expressible(text: string): string {
  return text.replace(UNWRITABLE, "\ufffd");
}

/** Text for an element, for people, with U+FFFD for what XML cannot express. */
export function xmlText(text: string): string {
  return PLAIN.test(text) ? text : xmlElementText(expressible(text));
}

/** The same for an attribute in double quotes. */
export function xmlAttribute(text: string): string {
  return xmlAttributeText(expressible(text));
}

/** An element for text that needs no escape; "" without text. */
export function simple(name: string, text: string | null | undefined): string {
  return text === null || text === undefined ? "" : `<${name}>${text}</${name}>`;
}

export function wrapped(name: string, xml: string): string {
  return xml === "" ? "" : `<${name}>${xml}</${name}>`;
}

/** Characters other than printable ASCII without markup: only text with such needs a closer look. */
const UNUSUAL = /[^ !#-%'-;=?-~]/;
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

/** True for text that XML can express and readers restore: a carriage return they turn into a line feed. */
export function isExpressible(text: string): boolean {
  return isWritable(text) && !text.includes("\r");
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

/** Text for an element; what XML cannot say must have been set aside. */
export function xmlElementText(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
}

/** The same for an attribute in double quotes, whose blanks readers would replace. */
export function xmlAttributeText(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  return xmlElementText(text)
    .replaceAll('"', "&quot;")
    .replaceAll("\t", "&#9;")
    .replaceAll("\n", "&#10;");
}

/** True for text that XML can say; a carriage return is written as a reference. */
export function isWritable(text: string): boolean {
  return !UNUSUAL.test(text) || text.search(UNWRITABLE) === -1;
}

/** The same text for an element; null for what XML cannot say. */
export function writableText(text: string): string | null {
  return isWritable(text) ? xmlElementText(text) : null;
}

/** The same for an attribute. */
export function writableAttribute(text: string): string | null {
  return isWritable(text) ? xmlAttributeText(text) : null;
}

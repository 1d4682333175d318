/** Text that needs no escape in XML: no markup, no carriage return, nothing beyond 16 bits. */
const PLAIN = /^[\t\n -%'-;=?-\ud7ff\ue000-\ufffd]*$/;

/** What XML 1.0 cannot express: most control characters, two non-characters, lone surrogates. */
const UNWRITABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** With U+FFFD, the replacement character, for what XML cannot express. */
export function expressible(text: string): string {
  return text.replace(UNWRITABLE, "\ufffd");
}

/**
 * Text for an element, for people: characters that XML cannot express become U+FFFD, the replacement
 * character.
 */
export function xmlText(text: string): string {
  if (PLAIN.test(text)) return text;
  return expressible(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
}

/** The same for an attribute in double quotes. */
export function xmlAttribute(text: string): string {
  return xmlText(text).replaceAll('"', "&quot;").replaceAll("\t", "&#9;").replaceAll("\n", "&#10;");
}

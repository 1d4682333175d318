/** Anything beside printable ASCII without markup: only such text needs a closer look. */
const UNUSUAL = /[^ !#-%'-;=?-~]/;
/** What XML 1.0 cannot hold, and the carriage return, which its readers turn into a line feed. */
const INEXPRESSIBLE = /[^\t\n\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;
const EVERY_NONCHARACTER = /[\uFFFE\uFFFF]/g;

/** Text for an element or a double-quoted attribute, which must be expressible. */
export function escapeXml(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** True for text that an XML document can hold and that readers give back as it is, blanks included. */
export function isExpressible(text: string): boolean {
  return !UNUSUAL.test(text) || !INEXPRESSIBLE.test(text);
}

/** True for text that also survives readers that take the blanks around it for layout. */
export function isExact(text: string): boolean {
  return isExpressible(text) && text !== "" && text.trim() === text;
}

/** JSON text for an element: JSON escapes control characters itself, but not every non-character. */
export function escapeJson(json: string): string {
  if (!UNUSUAL.test(json)) return json;
  return escapeXml(
    json.replaceAll(EVERY_NONCHARACTER, (character) =>
      character === "\uFFFE" ? "\\ufffe" : "\\uffff",
    ),
  );
}

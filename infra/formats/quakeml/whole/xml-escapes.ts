import { isExpressible, UNUSUAL } from "../shared/xml-text.ts";

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
  return !UNUSUAL.test(text) || isExpressible(text.replaceAll("\r", ""));
}

/** The same text for an element; null for what XML cannot say. */
export function writableText(text: string): string | null {
  if (!UNUSUAL.test(text)) return text;
  return isWritable(text) ? xmlElementText(text) : null;
}

/** The same for an attribute. */
export function writableAttribute(text: string): string | null {
  if (!UNUSUAL.test(text)) return text;
  return isWritable(text) ? xmlAttributeText(text) : null;
}

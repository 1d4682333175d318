/** XML that is written: texts as XML has them, for people or exactly for readers that restore them, and bytes. */

/**
 * XML that is put together as bytes in UTF-8, of which a text is made at the end: texts added to each other
 * become trees, which took twice as long to make and to write out.
 */
export class XmlBytes {
  #bytes: Buffer;
  #end = 0;
  #isAscii = true;

  constructor(capacity = 1_024) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
  }

  get length(): number {
    return this.#end;
  }

  /** What was made of ASCII by `markup`. */
  markup(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** Text that needs no escape. */
  text(text: string): void {
    this.#reserve(MOST_BYTES * text.length);
    const end = this.#end + text.length;
    if (text.length < SHORT && this.#writeAscii(text)) this.#end = end;
    else {
      this.#end += this.#bytes.write(text, this.#end);
      if (this.#end > end) this.#isAscii = false;
    }
  }

  /** Takes back what was written last. */
  cutTo(length: number): void {
    this.#end = length;
  }

  /** The whole as text; then it is empty. */
  take(): string {
    const text = this.#isAscii
      ? this.#bytes.toString("latin1", 0, this.#end)
      : this.#bytes.toString("utf8", 0, this.#end);
    this.#end = 0;
    this.#isAscii = true;
    if (this.#bytes.length > KEPT) this.#bytes = Buffer.allocUnsafeSlow(KEPT);
    return text;
  }

  #writeAscii(text: string): boolean {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= ASCII) return false;
      this.#bytes[this.#end + i] = code;
    }
    return true;
  }

  #reserve(length: number): void {
    if (this.#end + length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#end + length));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}

const ASCII = 0x80;
/** Of a UTF-16 unit. */
const MOST_BYTES = 3;
/** Up to this length a loop is faster than a call. */
const SHORT = 40;
/** Of most events; more is not kept. */
const KEPT = 64 * 1024;

export const markup = (text: string): Uint8Array => Buffer.from(text);

/** What an element begins and ends with. */
export type Tags = readonly [begin: Uint8Array, end: Uint8Array];

/** @param prefix of its text */
export const tagsOf = (name: string, prefix = ""): Tags => [
  markup(`<${name}>${prefix}`),
  markup(`</${name}>`),
];

/** An element around what is in bytes already. */
export function addMarkup(out: XmlBytes, [begin, end]: Tags, within: Uint8Array): void {
  out.markup(begin);
  out.markup(within);
  out.markup(end);
}

type Value = string | null | undefined;

/** An element of text that needs no escape; nothing without text. */
export function addSimple(out: XmlBytes, [begin, end]: Tags, text: Value): void {
  if (text === null || text === undefined) return;
  out.markup(begin);
  out.text(text);
  out.markup(end);
}

/** What stands around a value, and around its uncertainty. */
export type Quantity = readonly [value: Tags, uncertainty: Tags];

export function quantityOf(name: string): Quantity {
  const begin = markup(`<${name}><value>`);
  const between = markup("</value><uncertainty>");
  return [
    [begin, markup(`</value></${name}>`)],
    [between, markup(`</uncertainty></${name}>`)],
  ];
}

export function addQuantity(
  out: XmlBytes,
  [alone, [between, end]]: Quantity,
  value: Value,
  uncertainty: Value,
): void {
  if (uncertainty === null || uncertainty === undefined) {
    addSimple(out, alone, `${value}`);
    return;
  }
  out.markup(alone[0]);
  out.text(`${value}`);
  out.markup(between);
  out.text(uncertainty);
  out.markup(end);
}

/** An element around what `add` adds; none around nothing. */
export function addWrapped(out: XmlBytes, [begin, end]: Tags, add: () => void): void {
  const before = out.length;
  out.markup(begin);
  const within = out.length;
  add();
  if (out.length === within) out.cutTo(before);
  else out.markup(end);
}

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

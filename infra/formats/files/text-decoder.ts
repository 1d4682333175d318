/** The text encodings of files: UTF-8, UTF-16 in both byte orders, GB18030, else Windows-1252. */

import { TextDecoder } from "node:util";

export type DecodedText = {
  readonly text: string;
  /** Given once, when the file turns out not to be in the encoding that it is read in. */
  readonly warning: string | null;
  /** The warning tells of bytes that are lost. */
  readonly isLoss?: boolean;
};

export type FileDecoder = {
  readonly write: (bytes: Uint8Array) => DecodedText;
  readonly end: () => DecodedText;
};

const BYTE_ORDER_MARKS = [
  { encoding: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
] as const;

const XML_ENCODING = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/;
/** Share of zero bytes at even or odd places from which text, mostly ASCII, counts as UTF-16. */
const UTF16_SHARE = 0.4;

/** Bytes by which an encoding is recognised, from the first that is not UTF-8; fewer at the end. */
const TELLING_BYTES = 16 * 1024;

/**
 * A decoder for a file that begins with `sample`. It never fails; a byte order mark is dropped.
 * @param label of the WHATWG Encoding Standard, where the encoding is known
 */
export function createFileDecoder(sample: Uint8Array, label?: string): FileDecoder {
  if (label !== undefined) return plainDecoder(label);
  const encoding = encodingOf(sample);
  return encoding === "utf-8" ? utf8OrOlder() : plainDecoder(encoding);
}

function plainDecoder(label: string): FileDecoder {
  const decoder = new TextDecoder(label);
  /** Until it has found bytes that are none of the encoding's. */
  let strict: TextDecoder | null = new TextDecoder(label, { fatal: true });

  function decode(bytes: Uint8Array, stream: boolean): DecodedText {
    const text = decoder.decode(bytes, { stream });
    try {
      strict?.decode(bytes, { stream });
      return { text, warning: null };
    } catch {
      strict = null;
      return { text, warning: lossIn(decoder.encoding), isLoss: true };
    }
  }
  return { write: (bytes) => decode(bytes, true), end: () => decode(new Uint8Array(), false) };
}

function lossIn(encoding: string): string {
  return `bytes that are no ${encoding} are shown as \uFFFD`;
}

/** Starts as UTF-8 and changes the decoder at the first invalid byte; earlier text stays as decoded. */
function utf8OrOlder(): FileDecoder {
  const strict = new TextDecoder("utf-8", { fatal: true });
  let fallback: TextDecoder | null = null;
  let unfinished: Uint8Array = new Uint8Array();
  /** From the first invalid byte on, until there is enough. */
  let rest: Uint8Array | null = null;

  function decode(bytes: Uint8Array, stream: boolean): DecodedText {
    if (fallback !== null) return { text: fallback.decode(bytes, { stream }), warning: null };
    if (rest !== null) return fallBack(Buffer.concat([rest, bytes]), stream);
    try {
      const text = strict.decode(bytes, { stream });
      unfinished = unfinishedCharacter(Buffer.concat([unfinished, bytes.subarray(-3)]));
      return { text, warning: null };
    } catch {
      return fallBack(Buffer.concat([unfinished, bytes]), stream);
    }
  }

  function fallBack(bytes: Uint8Array, stream: boolean): DecodedText {
    if (stream && bytes.length < TELLING_BYTES) {
      rest = bytes;
      return { text: "", warning: null };
    }
    const name = isDamagedUtf8(bytes) ? "UTF-8" : isGb18030(bytes) ? "GB18030" : "Windows-1252";
    fallback = new TextDecoder(name);
    const text = fallback.decode(bytes, { stream });
    if (name === "UTF-8") return { text, warning: lossIn(name), isLoss: true };
    return { text, warning: `the file is not UTF-8; from here on it is read as ${name}` };
  }
  return { write: (bytes) => decode(bytes, true), end: () => decode(new Uint8Array(), false) };
}

/**
 * Chinese text is nearly all pairs of GB 2312: of bytes above A0, hardly any of which are kana. Letters
 * of Western and Cyrillic code pages stand alone, or in words of an odd length, and Korean leads with
 * few bytes.
 */
function isGb18030(bytes: Uint8Array): boolean {
  let [pairs, kana, lowLeads, others] = [0, 0, 0, 0];
  for (let i = 0; i < bytes.length; i++) {
    const [lead = 0, trail = 0] = [bytes[i], bytes[i + 1]];
    if (lead < 0x80) continue;
    if (lead <= 0xa0 || lead > 0xf7 || trail <= 0xa0) {
      others++;
      continue;
    }
    pairs++;
    i++;
    if (lead === 0xa4 || lead === 0xa5) kana++;
    if (lead <= 0xc8) lowLeads++;
  }
  const isKorean = pairs >= 16 && lowLeads === pairs;
  return pairs >= 2 && others * 20 <= pairs && kana * 5 < pairs && !isKorean;
}

/** Valid multi-byte UTF-8 characters hardly ever occur by chance in text of an older encoding. */
function isDamagedUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder("utf-8").decode(bytes);
  const damaged = text.split("\uFFFD").length - 1;
  const longer = text.match(/[\u0080-\uFFFC]/g)?.length ?? 0;
  return longer > damaged;
}

/** An incomplete character at the end: at most three bytes. */
function unfinishedCharacter(bytes: Uint8Array): Uint8Array {
  for (let length = 1; length <= 3; length++) {
    const byte = bytes.at(-length) ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needed > length ? bytes.slice(-length) : new Uint8Array();
  }
  return new Uint8Array();
}

function encodingOf(sample: Uint8Array): string {
  const marked = BYTE_ORDER_MARKS.find(({ bytes }) => bytes.every((b, i) => sample[i] === b));
  if (marked) return marked.encoding;
  const zeros = [0, 0];
  for (const [i, byte] of sample.entries()) if (byte === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1;
  const half = sample.length / 2;
  const [even = 0, odd = 0] = zeros;
  if (odd > half * UTF16_SHARE && even === 0) return "utf-16le";
  if (even > half * UTF16_SHARE && odd === 0) return "utf-16be";
  return declaredEncoding(sample);
}

/** The encoding that XML declares; an unknown one is guessed like that of other text. */
function declaredEncoding(sample: Uint8Array): string {
  const head = Buffer.from(sample.subarray(0, 200)).toString("latin1");
  const declared = XML_ENCODING.exec(head)?.[1];
  try {
    // A declaration that is readable byte by byte is not in UTF-16, whatever it declares.
    const encoding = declared ? new TextDecoder(declared).encoding : "utf-8";
    return encoding.startsWith("utf-16") ? "utf-8" : encoding;
  } catch {
    return "utf-8";
  }
}

/** Text that stands in XML as it is: neither markup, nor carriage returns, nor beyond 16 bits. */
const PLAIN = /^[\t\n -%'-;=?-\ud7ff\ue000-\ufffd]*$/;

/** What XML 1.0 has no way to write: most control characters, two non-characters, half a pair. */
const UNWRITABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** The text of an element; what XML cannot hold becomes U+FFFD, the replacement character. */
export function xmlText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replace(UNWRITABLE, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
}

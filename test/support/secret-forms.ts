/**
 * A secret as it may stand in a text: as it is, in hexadecimal, in a URL, and in base64 of either alphabet
 * wherever in the encoded bytes it begins.
 */
export function secretForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset));
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString("hex"),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ];
  return [...new Set(forms)];
}

/** The digits of base64 that the bytes alone decide when `offset` others stand before them in their group. */
function base64At(bytes: Buffer, offset: number): string {
  const digits = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor(((offset + bytes.length) * 8) / 6);
  return digits.slice(first, end);
}

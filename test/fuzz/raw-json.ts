/** Text that stands in a JSON document as it is. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Stands for a raw text until the document is written; no other value holds it. */
const PLACE = "\u{f0000}raw";

export function writeJson(value: unknown): string {
  const raw: string[] = [];
  const json = JSON.stringify(value, (_, member: unknown) => {
    if (!(member instanceof RawJson)) return member;
    raw.push(member.text);
    return PLACE;
  });
  return (json ?? "").replaceAll(`"${PLACE}"`, () => raw.shift() ?? "");
}

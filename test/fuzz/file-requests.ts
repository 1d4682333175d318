import type { Random } from "../support/random.ts";
import { type BaseFile, mutateBytes } from "./spoil.ts";
import { hostileText } from "./values.ts";

export type FileRequest = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

const BOUNDARY = "fuzz-of-files";
const EXTENSIONS = [
  "csv",
  "txt",
  "dat",
  "json",
  "geojson",
  "xml",
  "qml",
  "quakeml",
  "parquet",
  "pdf",
  "",
];
const DELIMITERS = ["auto", "comma", "tab", "semicolon", "pipe", "space", "dot", "\0", ","];
/** So often it is the form that is spoiled, not only its file. */
const FORM_SHARE = 0.15;
const VALID_SHARE = 0.1;

/** A form with a file that is hostile to its reader, or a hostile form. */
export function fileRequest(files: readonly BaseFile[], random: Random): FileRequest {
  const { name, bytes } = random.pick(files);
  const others = files.map((file) => file.bytes);
  const content = random.chance(VALID_SHARE) ? bytes : mutateBytes(bytes, random, others);
  const own = name.slice(name.lastIndexOf(".") + 1);
  const extension = random.chance(0.8) ? own : random.pick(EXTENSIONS);
  const fileName = random.chance(0.9) ? `events.${extension}` : quotable(hostileText(random));
  const parts: Buffer[] = [part(`name="file"; filename="${fileName}"`, content)];
  if (random.chance(0.3)) {
    const delimiter = part('name="delimiter"', Buffer.from(random.pick(DELIMITERS)));
    if (random.chance(0.5)) parts.push(delimiter);
    else parts.unshift(delimiter);
  }
  if (random.chance(0.05)) {
    const extra = part(`name="${quotable(hostileText(random))}"`, Buffer.from("x"));
    parts.push(...Array.from({ length: 1 + random.below(30) }, () => extra));
  }
  const form = Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
  const body = random.chance(FORM_SHARE) ? mutateBytes(form, random, [form]) : form;
  return { headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` }, body };
}

function part(disposition: string, content: Buffer): Buffer {
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), content, Buffer.from("\r\n")]);
}

function quotable(text: string): string {
  return text.slice(0, 1_000).replaceAll(/["\r\n]/g, "_");
}

import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { z } from "zod";

/** An answer in parts, of which the first is its head and the last its tail; both may be empty. */
export type AnswerPart = { readonly kind: "head" | "event" | "tail"; readonly text: string };

/**
 * Cuts an answer into its events, without a byte more or less but in JSON. Texts are latin1: each character is one
 * byte of the answer, whatever its encoding is.
 */
export function splitAnswer(format: string, body: Readable): AsyncGenerator<AnswerPart> {
  body.setEncoding("latin1");
  switch (format) {
    case "xml":
      return elementsOf(body);
    case "geojson":
      return featuresOf(body);
    case "isf":
      return linesOf(body, (line) => {
        if (/^event\s/i.test(line)) return "event";
        return /^stop\s*$/i.test(line) ? "tail" : null;
      });
    default:
      return linesOf(body, (_line, count) => (count === 0 ? "head" : "event"));
  }
}

const BEGIN = /<(?:\w+:)?event[\s>]/;
const END = /<\/(?:\w+:)?event>/;

async function* elementsOf(body: AsyncIterable<string>): AsyncGenerator<AnswerPart> {
  let rest = "";
  let isHead = true;
  for await (const chunk of body) {
    rest += chunk;
    if (isHead) {
      const begin = BEGIN.exec(rest);
      if (begin === null) continue;
      yield { kind: "head", text: rest.slice(0, begin.index) };
      rest = rest.slice(begin.index);
      isHead = false;
    }
    for (let end = END.exec(rest); end !== null; end = END.exec(rest)) {
      const length = end.index + end[0].length;
      yield { kind: "event", text: rest.slice(0, length) };
      rest = rest.slice(length);
    }
  }
  if (isHead) yield { kind: "head", text: rest };
  yield { kind: "tail", text: isHead ? "" : rest };
}

/** ComCat gives 20,000 features at most. They come without the commas between them, and without their count. */
async function* featuresOf(body: Readable): AsyncGenerator<AnswerPart> {
  const { features, metadata, type } = Collection.parse(JSON.parse(await textOf(body)));
  const head = JSON.stringify({ type, metadata: { ...metadata, count: undefined } });
  yield { kind: "head", text: `${head.slice(0, -1)},"features":[` };
  for (const feature of features) yield { kind: "event", text: JSON.stringify(feature) };
  yield { kind: "tail", text: "]}" };
}

const Collection = z.object({
  type: z.string(),
  metadata: z.record(z.string(), z.unknown()).default({}),
  features: z.array(z.unknown()),
});

/** Parts begin where `begins` names a kind; other lines belong to the part before them. */
async function* linesOf(
  body: Readable,
  begins: (line: string, count: number) => AnswerPart["kind"] | null,
): AsyncGenerator<AnswerPart> {
  let kind: AnswerPart["kind"] = "head";
  let text = "";
  let count = 0;
  for await (const line of createInterface({ input: body, crlfDelay: Number.POSITIVE_INFINITY })) {
    const next = line === "" ? null : begins(line, count);
    count += 1;
    if (next !== null && (next !== "head" || kind !== "head")) {
      yield { kind, text };
      [kind, text] = [next, ""];
    }
    text += `${line}\n`;
  }
  yield { kind, text };
  if (kind !== "tail") yield { kind: "tail", text: "" };
}

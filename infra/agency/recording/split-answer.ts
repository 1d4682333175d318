import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { AnswerFormat } from "../dialects.ts";

/** An answer in parts, of which the first is its head and the last its tail; both may be empty. */
export type AnswerPart = { readonly kind: "head" | "event" | "tail"; readonly text: string };

/**
 * Cuts an answer into its events, without a byte more or less. Texts are latin1: each character is one
 * byte of the answer, whatever its encoding is.
 */
export function splitAnswer(format: AnswerFormat, body: Readable): AsyncGenerator<AnswerPart> {
  body.setEncoding("latin1");
  switch (format) {
    case "xml":
      return elementsOf(body);
    case "text":
      return linesOf(body, (_line, count) => (count === 0 ? "head" : "event"));
    case "isf":
      return linesOf(body, (line) => {
        if (/^event\s/i.test(line)) return "event";
        return /^stop\s*$/i.test(line) ? "tail" : null;
      });
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

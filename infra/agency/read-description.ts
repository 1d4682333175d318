import { SaxesParser } from "saxes";
import { createFileDecoder } from "../formats/files/text-decoder.ts";
import { trimEnd } from "../kernel/trim-end.ts";
import { beginningBytes } from "./answer-beginning.ts";
import type { HttpAnswer } from "./http-exchange.ts";

/** Descriptions have some 5 kB; of a longer answer the beginning is read. */
const DESCRIPTION_BYTES = 256 * 1024;

/** The description that the FDSN event service requires (1.1, p. 4). */
export function descriptionUrl(base: string): URL {
  return new URL(`${trimEnd(base, "/")}/application.wadl`);
}

/**
 * The names of all parameters in a service's description, lower case: up to the first fault of an answer
 * that is no XML or ends early, none where there is no description.
 */
export async function readDescription(answer: HttpAnswer): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  if (answer.status !== 200) return names;
  const bytes = await beginningBytes(answer, DESCRIPTION_BYTES);
  const parser = new SaxesParser();
  let isFaulty = false;
  parser.on("error", () => {
    isFaulty = true;
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (isFaulty || !/^(?:\w+:)?param$/.test(name)) return;
    const { name: parameter } = attributes;
    if (typeof parameter === "string") names.add(parameter.toLowerCase());
  });
  const decoder = createFileDecoder(bytes);
  parser.write(decoder.write(bytes).text);
  return names;
}

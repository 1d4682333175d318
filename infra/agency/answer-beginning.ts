import type { HttpAnswer } from "./http-exchange.ts";

/** The beginning of an answer's body: the chunks until there are so many bytes, or all of a shorter one. */
export async function beginningBytes(
  { body }: Pick<HttpAnswer, "body">,
  enough: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= enough) break;
  }
  return Buffer.concat(chunks);
}

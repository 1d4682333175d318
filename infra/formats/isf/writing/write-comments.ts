import {
  blockBegunBy,
  CENTROID,
  MECHANISM_HEADERS,
  ORIGIN_ID,
  PREFERRED,
  PRIME,
} from "../shared/blocks.ts";
import { isMessageLine, titleIn } from "../shared/message-lines.ts";
import { countLeft, type Held } from "./leaves.ts";
import { type Losses, lose } from "./losses.ts";

type Comment = { readonly text: string };

const TEXT_ALONE: Held = new Map([["text", () => true]]);

/** Words that would say something else when they are read again. */
const KEYWORDS = [
  PRIME,
  CENTROID,
  ORIGIN_ID,
  PREFERRED,
  ...Object.keys(MECHANISM_HEADERS).map((part) => `#${part}`),
];

/** Comments below the line that they are about. */
export function writeComments(
  comments: readonly Comment[] | undefined,
  kind: string,
  losses: Losses,
): string {
  let lines = "";
  for (const comment of comments ?? []) {
    lose(losses.values, `comments of ${kind}`, countLeft(comment, TEXT_ALONE));
    const [first = "", ...more] = comment.text.split(/\r\n?|\n/);
    lines += ` (${unlikeKeyword(first)})\n`;
    for (const line of more) lines += ` (+${line})\n`;
  }
  return lines;
}

function unlikeKeyword(text: string): string {
  const isOther = /^(?:[+]|#\s)/.test(text) || KEYWORDS.some((word) => text.startsWith(word));
  return isOther ? ` ${text}` : text;
}

/** Whether a line below its header is read again as a line of that block. */
export function isLineOfBlock(text: string): boolean {
  return (
    text.trim() !== "" &&
    !/[\r\n]/.test(text) &&
    blockBegunBy(text) === null &&
    titleIn(text) === null &&
    !isMessageLine(text)
  );
}

import { xmlText } from "../xml/xml-text.ts";
import type { SharedMember } from "./members.ts";
import { isWritten } from "./own-shapes.ts";

/** A value that is no object, and whether SCML has it only by a word that comes near. */
export type WrittenValue = { readonly text: string; readonly isNear?: true };

/** A simple member's value as SCML has it; null if SCML cannot. */
export function writeValue({ field, words }: SharedMember, value: unknown): WrittenValue | null {
  const text = String(value);
  switch (field.kind) {
    case "time":
      return isWritten("time", text) ? { text } : null;
    case "enumeration": {
      const near = words.nearest?.[text];
      return near === undefined
        ? { text: words.words?.[text] ?? text }
        : { text: near, isNear: true };
    }
    case "real":
    case "integer":
    case "boolean":
      return { text };
    case "text":
    case "id":
    case "reference":
    case "resource":
      return { text: xmlText(text) };
    case "object":
      return null;
  }
}

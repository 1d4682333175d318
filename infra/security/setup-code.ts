import { randomBytes } from "node:crypto";
import { equalTexts } from "./equal-texts.ts";

const CODE_BYTES = 16;

/** The secret of the link for setting up, made at each start: 128 bits. */
export function newSetupCode(): string {
  return randomBytes(CODE_BYTES).toString("base64url");
}

export function isSetupCode(text: unknown, code: string): boolean {
  return typeof text === "string" && equalTexts(text, code);
}

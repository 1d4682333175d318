import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const CODE_BYTES = 16;

/** The secret of the link for setting up, made at each start: 128 bits. */
export function newSetupCode(): string {
  return randomBytes(CODE_BYTES).toString("base64url");
}

/** Compares in a time that tells nothing of the code. */
export function isSetupCode(text: unknown, code: string): boolean {
  return typeof text === "string" && timingSafeEqual(digest(text), digest(code));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

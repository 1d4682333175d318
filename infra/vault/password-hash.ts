import { randomBytes } from "node:crypto";
import { Argon2id } from "oslo/password";
import { createRequestSlots, NOBODY } from "../kernel/fair-queue.ts";

/** Argon2id's cost (OWASP's minimum); about 16 ms of a thread. */
const COST = { memorySize: 19_456, iterations: 2, parallelism: 1, tagLength: 32 };

const SALT_BYTES = 16;

/**
 * The threads that Argon2id takes at once, of the four of libuv's pool: files, names and compression of all other
 * answers need the rest, and would else wait behind every sign-in that came before.
 */
const THREADS = 2;

export type Passwords = ReturnType<typeof createPasswords>;

export function createPasswords() {
  const argon2id = new Argon2id(COST);
  const nobody = hashOfNobody();
  const slots = createRequestSlots(THREADS);
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => slots.run(work, NOBODY.signal);
  return {
    /** The Argon2id hash of a password in PHC string format. Passwords are NFKC-normalised first. */
    hash: (password: string) => inTurn(() => argon2id.hash(password)),
    /** Whether the password matches the hash; a null hash gives false after the same work. */
    async verify(passwordHash: string | null, password: string): Promise<boolean> {
      const matches = await inTurn(() => argon2id.verify(passwordHash ?? nobody, password));
      return passwordHash !== null && matches;
    },
  };
}

/** A well-formed hash of an unknown password, which takes as long to verify as a real one. */
function hashOfNobody(): string {
  const { memorySize, iterations, parallelism, tagLength } = COST;
  const cost = `m=${memorySize},t=${iterations},p=${parallelism}`;
  return `$argon2id$v=19$${cost}$${phcBase64(SALT_BYTES)}$${phcBase64(tagLength)}`;
}

function phcBase64(bytes: number): string {
  return randomBytes(bytes).toString("base64").replaceAll("=", "");
}

import { Refusal } from "#contracts/errors.ts";
import { PASSWORD_MIN } from "#contracts/http/accounts.ts";
import { isShownLine, NOT_SHOWN } from "#contracts/text.ts";

const USER_ID = /^user_\d+_[0-9a-z]+$/;

/** `user_<milliseconds since 1970>_<suffix>`; the suffix has 9 base-36 digits. */
export function userId(at: Date, suffix: string): string {
  return `user_${at.getTime()}_${suffix}`;
}

export function isUserId(text: string): boolean {
  return USER_ID.test(text);
}

/** RFC 5321, 4.5.3.1, without the angle brackets of a path. */
const EMAIL_MAX = 254;
const LOCAL_MAX = 64;
const LABEL_MAX = 63;

/** Atoms of RFC 5322 with the letters of RFC 6531; quoted local parts are refused. */
const ATOM = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+$/u;
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u;

/** Whether `text` has the form of an email address: dot-atom, `@`, a domain of two or more labels. */
export function isEmailAddress(text: string): boolean {
  if (text.length > EMAIL_MAX) return false;
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(at, 0));
  const labels = text.slice(at + 1).split(".");
  return (
    local.length <= LOCAL_MAX &&
    local.split(".").every((atom) => ATOM.test(atom)) &&
    labels.length >= 2 &&
    labels.every((label) => label.length <= LABEL_MAX && LABEL.test(label))
  );
}

/** The form in which addresses are compared: case and Unicode composition do not matter. */
export function normaliseEmail(address: string): string {
  return address.normalize("NFC").toLowerCase().normalize("NFC");
}

const NAME_MAX = 255;

/**
 * A person's name in stored form: trimmed, 1 to 255 Unicode code points, one visible line.
 * @throws Refusal MISSING_NAME, VALIDATION_ERROR
 */
export function userName(text: string): string {
  const name = text.trim();
  if (name === "") throw new Refusal("MISSING_NAME");
  if (!isShownLine(name)) throw invalid(`The name ${NOT_SHOWN}`);
  if ([...name].length > NAME_MAX) throw invalid(`The name is longer than ${NAME_MAX} characters`);
  return name;
}

/** Bounds the work of normalising and hashing a stranger's input. */
export const PASSWORD_MAX = 1_000;

/**
 * A password that may be hashed: 8 to 1,000 Unicode code points, without lone surrogates, which
 * would all hash like the same replacement character, and without NUL, which ends strings in other
 * programs.
 * @throws Refusal VALIDATION_ERROR
 */
export function newPassword(text: string): string {
  const characters = [...text].length;
  if (characters < PASSWORD_MIN) {
    throw invalid(`Password must be at least ${PASSWORD_MIN} characters long`);
  }
  if (characters > PASSWORD_MAX) {
    throw invalid(`Password must be at most ${PASSWORD_MAX} characters long`);
  }
  if (!text.isWellFormed() || text.includes("\u0000")) {
    throw invalid("Password holds characters that cannot be used");
  }
  return text;
}

export type Newcomer = Readonly<Record<"email" | "name", string>>;
export type Registration = Newcomer & { readonly password: string };

/** Fields of any type or missing, as sent by a client. */
export type RegistrationForm = { readonly [F in keyof Registration]?: unknown };

/**
 * Checks a registration; order and sentences of the checks are fixed (`contracts/docs/accounts.md`,
 * Accounts).
 * @throws Refusal VALIDATION_ERROR
 */
export function validRegistration({ email, password, name }: RegistrationForm): Registration {
  if (!isFilled(email) || !isFilled(password) || !isFilled(name)) {
    throw invalid("Email, password, and name are required");
  }
  if (!isEmailAddress(email)) throw invalid("Invalid email format");
  return { email, password: newPassword(password), name: userName(name) };
}

/**
 * Whose account is made without a password.
 * @throws Refusal VALIDATION_ERROR, MISSING_NAME
 */
export function validNewcomer({ email, name }: Newcomer): Newcomer {
  if (!isEmailAddress(email)) throw invalid("Invalid email format");
  return { email, name: userName(name) };
}

function invalid(sentence: string): Refusal {
  return new Refusal("VALIDATION_ERROR", sentence);
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

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

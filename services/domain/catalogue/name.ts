import { CATALOGUE_NAME_MAX } from "#contracts/http/catalogues.ts";
import { Refusal } from "../errors.ts";

/**
 * A catalogue's name as it is kept: trimmed, 1 to 255 characters (contract §4).
 * Characters are Unicode code points. NUL and lone surrogates have no place in UTF-8 text.
 * @throws Refusal missing-name, name-too-long, invalid
 */
export function catalogueName(given: string): string {
  const name = given.trim();
  if (name === "") throw new Refusal("missing-name", "A name is required");
  if (!name.isWellFormed() || name.includes("\u0000")) {
    throw new Refusal("invalid", "The name holds characters that cannot be stored");
  }
  if ([...name].length > CATALOGUE_NAME_MAX) {
    throw new Refusal("name-too-long", `The name is longer than ${CATALOGUE_NAME_MAX} characters`);
  }
  return name;
}

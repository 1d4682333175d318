import { CATALOGUE_NAME_MAX } from "#contracts/http/catalogues.ts";
import { isShownLine, NOT_SHOWN } from "#contracts/shown-text.ts";
import { Refusal } from "../errors.ts";

/**
 * A catalogue's name as it is kept: trimmed, 1 to 255 Unicode code points, one line that may be shown.
 * @throws Refusal missing-name, name-too-long, invalid
 */
export function catalogueName(given: string): string {
  const name = given.trim();
  if (name === "") throw new Refusal("missing-name", "A name is required");
  if (!isShownLine(name)) throw new Refusal("invalid", `The name ${NOT_SHOWN}`);
  if ([...name].length > CATALOGUE_NAME_MAX) {
    throw new Refusal("name-too-long", `The name is longer than ${CATALOGUE_NAME_MAX} characters`);
  }
  return name;
}

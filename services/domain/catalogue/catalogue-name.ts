import { Refusal } from "#contracts/errors.ts";
import { CATALOGUE_NAME_MAX } from "#contracts/http/catalogues.ts";
import { isShownLine, NOT_SHOWN } from "#contracts/shown-text.ts";

/**
 * A catalogue's name in stored form: trimmed, 1 to 255 Unicode code points, one visible line.
 * @throws Refusal MISSING_NAME, NAME_TOO_LONG, VALIDATION_ERROR
 */
export function catalogueName(text: string): string {
  const name = text.trim();
  if (name === "") throw new Refusal("MISSING_NAME", "A name is required");
  if (!isShownLine(name)) throw new Refusal("VALIDATION_ERROR", `The name ${NOT_SHOWN}`);
  if ([...name].length > CATALOGUE_NAME_MAX) {
    throw new Refusal("NAME_TOO_LONG", `The name is longer than ${CATALOGUE_NAME_MAX} characters`);
  }
  return name;
}

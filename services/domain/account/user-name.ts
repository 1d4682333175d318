import { Refusal } from "#contracts/errors.ts";
import { isShownLine, NOT_SHOWN } from "#contracts/shown-text.ts";

const NAME_MAX = 255;

/**
 * A person's name in stored form: trimmed, 1 to 255 Unicode code points, one visible line.
 * @throws Refusal VALIDATION_ERROR
 */
export function userName(given: string): string {
  const name = given.trim();
  if (name === "") throw new Refusal("VALIDATION_ERROR", "The name is empty");
  if (!isShownLine(name)) throw new Refusal("VALIDATION_ERROR", `The name ${NOT_SHOWN}`);
  if ([...name].length > NAME_MAX) {
    throw new Refusal("VALIDATION_ERROR", `The name is longer than ${NAME_MAX} characters`);
  }
  return name;
}

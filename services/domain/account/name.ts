import { isShownLine, NOT_SHOWN } from "#contracts/shown-text.ts";
import { Refusal } from "../errors.ts";

const NAME_MAX = 255;

/**
 * A person's name as it is kept: trimmed, 1 to 255 Unicode code points, one line that may be shown.
 * @throws Refusal invalid
 */
export function userName(given: string): string {
  const name = given.trim();
  if (name === "") throw new Refusal("invalid", "The name is empty");
  if (!isShownLine(name)) throw new Refusal("invalid", `The name ${NOT_SHOWN}`);
  if ([...name].length > NAME_MAX) {
    throw new Refusal("invalid", `The name is longer than ${NAME_MAX} characters`);
  }
  return name;
}

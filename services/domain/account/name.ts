import { Refusal } from "../errors.ts";

const NAME_MAX = 255;

/**
 * A person's name as it is kept: trimmed, 1 to 255 Unicode code points, one line of text.
 * Lone surrogates have no place in UTF-8, control characters none in a name.
 * @throws Refusal invalid
 */
export function userName(given: string): string {
  const name = given.trim();
  if (name === "") throw new Refusal("invalid", "The name is empty");
  if (!name.isWellFormed() || /\p{Cc}/u.test(name)) {
    throw new Refusal("invalid", "The name holds characters that cannot be stored");
  }
  if ([...name].length > NAME_MAX) {
    throw new Refusal("invalid", `The name is longer than ${NAME_MAX} characters`);
  }
  return name;
}

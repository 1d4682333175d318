import Negotiator from "negotiator";

/** Which of the media types `Accept` prefers, the first where it does not mind; undefined for none. */
export function acceptedType<T extends string>(
  accept: string | undefined,
  types: readonly T[],
): T | undefined {
  return new Negotiator({ headers: { accept } }).mediaType([...types]) as T | undefined;
}

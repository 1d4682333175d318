/** Refusals of the domain. They know no HTTP; the gateway maps each kind to an error code. */
export type RefusalKind =
  | "not-found"
  | "conflict"
  /** A revision was taken from the run that writes it; the same command again writes another one. */
  | "given-up"
  | "invalid"
  | "unauthenticated"
  | "missing-name"
  | "name-too-long"
  | "precondition";

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Refusals of the domain. They know no HTTP; the gateway maps each kind to an error code. */
export type RefusalKind =
  | "not-found"
  | "conflict"
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

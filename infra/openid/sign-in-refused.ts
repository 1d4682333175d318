import { Refusal } from "#contracts/errors.ts";
import { SIGN_IN_REFUSALS, type SignInRefusal } from "#contracts/sign-in-refusals.ts";

/** A sign-in with an institute's account that fails. */
export class SignInRefused extends Refusal {
  readonly reason: SignInRefusal;

  constructor(reason: SignInRefusal, options: { cause?: unknown } = {}) {
    const { code, text } = SIGN_IN_REFUSALS[reason];
    super(code, text, options);
    this.reason = reason;
  }
}

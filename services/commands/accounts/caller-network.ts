/** Where a password comes from. */
export type CallerNetwork = {
  /** Pseudonym of the network, 32 bytes. */
  readonly tag: Buffer;
  /** Whether the password counts only where its account has signed in from there before. */
  readonly mustBeKnown: boolean;
};

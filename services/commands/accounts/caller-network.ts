/** The network from which a password comes. */
export type CallerNetwork = {
  /** Pseudonym of the network, 32 bytes. */
  readonly tag: Buffer;
  /** Whether the password is accepted only from a network that its account has signed in from before. */
  readonly mustBeKnown: boolean;
};

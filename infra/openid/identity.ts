import { z } from "zod";

/** Who somebody is to a provider. */
export type Identity = {
  readonly issuer: string;
  /** The provider's own name for the person, which it gives to nobody else. */
  readonly subject: string;
  /** Null where the provider does not tell it. */
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  /** Null where the provider does not tell it. */
  readonly name: string | null;
  readonly groups: readonly string[];
};

export type Claims = Readonly<Record<string, unknown>>;

const Text = z.string().trim().min(1).nullable().catch(null);
const Required = z.object({ iss: z.string(), sub: z.string().min(1) });
/** One group may come without a list; some providers have booleans as texts. */
const Groups = z.union([z.array(z.string()), z.string().transform((one) => [one])]).catch([]);
const Verified = z.union([z.literal(true), z.literal("true")]);

/** @param groupsClaim the claim that has the names of the person's groups */
export function identityOf(claims: Claims, groupsClaim: string): Identity {
  const { iss: issuer, sub: subject } = Required.parse(claims);
  return {
    issuer,
    subject,
    email: Text.parse(claims["email"] ?? null),
    isEmailVerified: Verified.safeParse(claims["email_verified"]).success,
    name: Text.parse(claims["name"] ?? claims["preferred_username"] ?? null),
    groups: Groups.parse(claims[groupsClaim]),
  };
}

import { z } from "zod";
import { SignInRefused } from "./sign-in-refused.ts";

/** Who somebody is to a provider. */
export type Identity = {
  readonly issuer: string;
  /** The provider's own name for the person, which it gives to nobody else. */
  readonly subject: string;
  /** Null where the provider does not tell it. */
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  /** Null where the provider does not tell it. No address: others see it. */
  readonly name: string | null;
  readonly groups: readonly string[];
};

export type Claims = Readonly<Record<string, unknown>>;

const Text = z.string().trim().min(1).nullable().catch(null);
const Required = z.object({ iss: z.string(), sub: z.string().min(1) });
/** One group may come without a list; some providers have booleans as texts. */
const Groups = z.union([z.array(z.string()), z.string().transform((one) => [one])]).catch([]);
const Verified = z.union([z.literal(true), z.literal("true")]);

/** Characters of a subject (OpenID Connect Core 1.0, section 2). */
const MAX_SUBJECT = 255;

/**
 * @param groupsClaim the claim that has the names of the person's groups
 * @throws SignInRefused for a subject that is too long
 */
export function identityOf(claims: Claims, groupsClaim: string): Identity {
  const { iss: issuer, sub: subject } = Required.parse(claims);
  if (subject.length > MAX_SUBJECT) throw new SignInRefused("long-subject");
  return {
    issuer,
    subject,
    email: Text.parse(claims["email"] ?? null),
    isEmailVerified: Verified.safeParse(claims["email_verified"]).success,
    name: nameIn(claims),
    groups: Groups.parse(claims[groupsClaim]),
  };
}

/** The first that is there and no address, which some providers give as a name. */
function nameIn(claims: Claims): string | null {
  const text = (name: string) => Text.parse(claims[name] ?? null);
  const parts = [text("given_name"), text("family_name")].filter((part) => part !== null);
  const names = [text("name"), parts.join(" "), text("preferred_username")];
  return names.find((name) => name !== null && name !== "" && !name.includes("@")) ?? null;
}

import { CallError } from "../../api/call.ts";

export const PASSWORDS_DIFFER = "The two passwords are not the same";

export type AccountField = "name" | "email" | "password" | "repeated" | "current";

/** How a field is named in what was sent, and what sentences speak of it that name no field. */
const FIELDS: Readonly<Record<AccountField, { name: RegExp; sentence: RegExp }>> = {
  name: { name: /^name$/, sentence: /^The name / },
  email: { name: /^email$/, sentence: /email (?:format|already)/i },
  password: { name: /^(?:newP|p)assword$/, sentence: /^Password / },
  repeated: { name: /^$/, sentence: new RegExp(`^${PASSWORDS_DIFFER}$`) },
  current: { name: /^currentPassword$/, sentence: /current password/i },
};

/** What was refused of a field of an account; undefined where the refusal speaks of something else. */
export function problemAt(error: unknown, field: AccountField): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { name, sentence } = FIELDS[field];
  if (error instanceof CallError) {
    if (error.status === 0 || error.status >= 500) return undefined;
    const refusal = error.fields.find((one) => name.test(one.field));
    if (refusal) return refusal.message;
  }
  return sentence.test(error.message) ? error.message : undefined;
}

/** What failed; null where one of these fields says it already. */
export function errorBeside(error: unknown, fields: readonly AccountField[]): unknown {
  return fields.some((field) => problemAt(error, field) !== undefined) ? null : error;
}

import type { ComponentChildren } from "preact";
import { type AnswerOf, CallError } from "../../api/call.ts";
import { untouched } from "../../ui/form/codecs.ts";
import { Field } from "../../ui/form/fields.tsx";
import { type FormField, input } from "../../ui/form/form.tsx";
import { Frame } from "../../ui/page.tsx";
import { counted } from "../../ui/text/format.ts";

const PASSWORDS_DIFFER = "The two passwords are not the same";

/** How a field is named in what was sent, and what sentences speak of it that name no field. */
const REFUSALS = {
  name: { name: /^name$/, sentence: /^The name / },
  email: { name: /^email$/, sentence: /email (?:format|already)/i },
  password: { name: /^(?:newP|p)assword$/, sentence: /^Password / },
  repeated: { name: /^$/, sentence: new RegExp(`^${PASSWORDS_DIFFER}$`) },
  current: { name: /^currentPassword$/, sentence: /current password/i },
} as const;

/** What was refused of a field of an account; undefined where the refusal speaks of something else. */
function refusalOf(field: keyof typeof REFUSALS) {
  return (error: unknown): string | undefined => {
    if (!(error instanceof Error)) return undefined;
    const { name, sentence } = REFUSALS[field];
    if (error instanceof CallError) {
      if (error.status === 0 || error.status >= 500) return undefined;
      const refusal = error.fields.find((one) => name.test(one.field));
      if (refusal) return refusal.message;
    }
    return sentence.test(error.message) ? error.message : undefined;
  };
}

export const NAME = input(
  { label: "Name", autocomplete: "name", required: true, problemIn: refusalOf("name") },
  untouched,
);
export const EMAIL = input(
  {
    label: "Email",
    type: "email",
    name: "email",
    autocomplete: "username",
    required: true,
    problemIn: refusalOf("email"),
  },
  untouched,
);

/** The password that an account has. */
export function passwordField(label: string): FormField<string, string> {
  return input(
    {
      label,
      type: "password",
      name: "password",
      autocomplete: "current-password",
      required: true,
      problemIn: refusalOf("current"),
    },
    untouched,
  );
}

const NEW = { type: "password", autocomplete: "new-password", required: true } as const;

/** A new password, typed twice. @param rule what the page asks of it */
export function newPasswordFields(label = "New password", rule = "At least 8 characters") {
  const repeated: FormField<string, string> = {
    start: "",
    valueOf: untouched,
    problemIn: refusalOf("repeated"),
    show: ({ value, onValue, problem }, { password }) => {
      const differs = value !== "" && !String(password).startsWith(value);
      return (
        <Field
          {...NEW}
          label="The same again"
          value={value}
          onValue={onValue}
          problem={differs ? PASSWORDS_DIFFER : problem}
        />
      );
    },
  };
  const look = { ...NEW, label, hint: rule, problemIn: refusalOf("password") };
  return { password: input(look, untouched), repeated };
}

type NewPassword = { readonly password: string; readonly repeated: string };

/**
 * The password that was typed.
 * @throws Error where it was not typed twice
 */
export function checkedPassword({ password, repeated }: NewPassword): string {
  if (password !== repeated) throw new Error(PASSWORDS_DIFFER);
  return password;
}

type GivenOut = Pick<AnswerOf<"POST /api/auth/change-password">, "tokensEnded" | "shares">;

/** What an account had given out, in sentences; empty where nothing. */
export function givenOutInWords({ tokensEnded = 0, shares = [] }: GivenOut): string {
  const names = [...new Set(shares.map(({ catalogue_name: name }) => `“${name}”`))];
  const made = `${counted(shares.length, "share")} made by you can still be read: of ${names.join(", ")}.`;
  return [
    ...(tokensEnded > 0 ? [`${counted(tokensEnded, "access token")} ended.`] : []),
    ...(shares.length > 0 ? [made] : []),
  ].join(" ");
}

type AccountPageProps = { readonly title: string; readonly children: ComponentChildren };

/** A page about an account: what is filled in, and beside it what the service is. */
export function AccountPage({ title, children }: AccountPageProps) {
  return (
    <Frame title={title}>
      <div class="columns">
        <div class="panel">{children}</div>
        <aside class="panel" aria-label="About this service">
          <h2>Catalogues of earthquakes, with every version kept</h2>
          <ul class="checked">
            {ABOUT.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </aside>
      </div>
    </Frame>
  );
}

/** What the service is, for those who come to it for the first time. */
const ABOUT = [
  "Public catalogues are open to everybody, without an account: map, table, plots and analyses.",
  "Every change makes a new version. Earlier ones stay, can be compared, restored and cited.",
  "Files of many formats can be read, agencies asked, catalogues compared and merged.",
  "With an account you read and export what is not restricted to others; editors also make and change catalogues.",
] as const;

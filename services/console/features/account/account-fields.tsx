import { type Signal, useSignal } from "@preact/signals";
import { bound, Field } from "../../ui/form/field.tsx";
import { PASSWORDS_DIFFER, problemAt } from "./account-problem.ts";

type NameAndEmailProps = {
  readonly typed: Signal<{ readonly name: string; readonly email: string }>;
  readonly error: unknown;
};

const FIELDS = [
  { name: "name", label: "Name", autocomplete: "name" },
  { name: "email", label: "Email", type: "email", autocomplete: "username" },
] as const;

/** Whose a new account is. */
export function NameAndEmail({ typed, error }: NameAndEmailProps) {
  return (
    <>
      {FIELDS.map(({ name, ...field }) => (
        <Field
          key={name}
          {...field}
          required
          problem={problemAt(error, name)}
          value={typed.value[name]}
          onValue={(value) => (typed.value = { ...typed.value, [name]: value })}
        />
      ))}
    </>
  );
}

/** A new password, typed twice. */
export type NewPassword = {
  readonly typed: Signal<string>;
  readonly repeated: Signal<string>;
  /**
   * The password that was typed.
   * @throws Error where it was not typed twice
   */
  readonly checked: () => string;
};

export function useNewPassword(): NewPassword {
  const typed = useSignal("");
  const repeated = useSignal("");
  return {
    typed,
    repeated,
    checked: () => {
      if (typed.value !== repeated.value) throw new Error(PASSWORDS_DIFFER);
      return typed.value;
    },
  };
}

type NewPasswordFieldsProps = {
  readonly password: NewPassword;
  readonly label?: string;
  /** What the page asks of it. */
  readonly rule?: string;
  /** Why the last attempt failed. */
  readonly error: unknown;
};

export function NewPasswordFields(props: NewPasswordFieldsProps) {
  const { password, label = "New password", rule = "At least 8 characters", error } = props;
  const { typed, repeated } = password;
  const differs = repeated.value !== "" && !typed.value.startsWith(repeated.value);
  return (
    <>
      <Field
        label={label}
        type="password"
        autocomplete="new-password"
        required
        hint={rule}
        problem={problemAt(error, "password")}
        {...bound(typed)}
      />
      <Field
        label="The same again"
        type="password"
        autocomplete="new-password"
        required
        problem={differs ? PASSWORDS_DIFFER : problemAt(error, "repeated")}
        {...bound(repeated)}
      />
    </>
  );
}

import { type Signal, useSignal } from "@preact/signals";
import { Field } from "../../ui/field.tsx";

/** A new password, typed twice. */
export type NewPassword = {
  readonly typed: Signal<string>;
  readonly repeated: Signal<string>;
  /** Why it cannot be sent; null where it can. */
  readonly problem: () => string | null;
};

export function useNewPassword(): NewPassword {
  const typed = useSignal("");
  const repeated = useSignal("");
  return {
    typed,
    repeated,
    problem: () => (typed.value === repeated.value ? null : "The two passwords are not the same"),
  };
}

type NewPasswordFieldsProps = {
  readonly password: NewPassword;
  readonly label?: string;
  readonly least?: number;
};

export function NewPasswordFields(props: NewPasswordFieldsProps) {
  const { password, label = "New password", least = 8 } = props;
  const { typed, repeated, problem } = password;
  const differs = repeated.value !== "" && !typed.value.startsWith(repeated.value);
  return (
    <>
      <Field
        label={label}
        type="password"
        autocomplete="new-password"
        required
        hint={`At least ${least} characters`}
        value={typed.value}
        onValue={(value) => {
          typed.value = value;
        }}
      />
      <Field
        label="The same again"
        type="password"
        autocomplete="new-password"
        required
        problem={differs ? (problem() ?? undefined) : undefined}
        value={repeated.value}
        onValue={(value) => {
          repeated.value = value;
        }}
      />
    </>
  );
}

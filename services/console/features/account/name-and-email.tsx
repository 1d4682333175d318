import type { Signal } from "@preact/signals";
import { Field } from "../../ui/form/field.tsx";
import { problemAt } from "./account-problem.ts";

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

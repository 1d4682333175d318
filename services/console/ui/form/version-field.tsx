import { useSignal } from "@preact/signals";
import { bound, Field } from "./fields.tsx";

type VersionFieldProps = {
  readonly label: string;
  /** What the button says. */
  readonly action: string;
  readonly latest: number;
  readonly onVersion: (version: number) => void;
};

/** Takes the number of a version. */
export function VersionField({ label, action, latest, onVersion }: VersionFieldProps) {
  const typed = useSignal("");
  const problem = useSignal<string | undefined>(undefined);
  return (
    <form
      class="version-field"
      // The field says itself what is wrong.
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const version = Number(typed.value);
        const isOne = Number.isInteger(version) && version >= 1 && version <= latest;
        problem.value = isOne ? undefined : `A number from 1 to ${latest}`;
        if (isOne) onVersion(version);
      }}
    >
      <Field label={label} inputMode="numeric" {...bound(typed)} problem={problem.value} />
      <button type="submit">{action}</button>
    </form>
  );
}

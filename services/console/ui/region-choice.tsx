import { user } from "../api/session.ts";
import { useSavedRegions } from "./call/use-saved-regions.ts";
import { Select } from "./form/inputs.tsx";

type RegionChoiceProps = {
  readonly label: string;
  /** An id; empty for none. */
  readonly value: string;
  readonly hint?: string;
  readonly problem?: string | undefined;
  readonly onValue: (id: string) => void;
};

/** One of the saved regions, or none. Guests are not told which there are, and keep or leave the one they have. */
export function RegionChoice({ label, value, hint, problem, onValue }: RegionChoiceProps) {
  const regions = useSavedRegions().last ?? [];
  if (!user.value && value === "") return null;
  const isListed = value === "" || regions.some(({ id }) => id === value);
  return (
    <Select
      label={label}
      value={value}
      options={[
        { value: "", text: "none" },
        ...regions.map(({ id, name }) => ({ value: id, text: name })),
        ...(isListed ? [] : [{ value, text: "a saved region" }]),
      ]}
      {...(hint !== undefined && { hint })}
      problem={problem}
      onValue={onValue}
    />
  );
}

import type { Agency } from "./call/use-agencies.ts";
import { Select } from "./form/select.tsx";

type AgencyChoiceProps = {
  /** Null before they are known. */
  readonly agencies: readonly Agency[] | null;
  /** An id; empty for the first. */
  readonly value: string;
  /** Which of them may be chosen. */
  readonly among: (agency: Agency) => boolean;
  readonly problem?: string | undefined;
  readonly onValue: (id: string) => void;
};

/** One of the agencies that may be asked. */
export function AgencyChoice({ agencies, value, among, problem, onValue }: AgencyChoiceProps) {
  const asked = agencies?.filter(among) ?? [];
  const isListed = value === "" || asked.some(({ id }) => id === value);
  const given = agencies?.find(({ id }) => id === value);
  return (
    <Select
      label="Agency"
      value={value === "" ? (asked[0]?.id ?? "") : value}
      options={[
        ...asked.map(({ id, name }) => ({ value: id, text: name })),
        ...(isListed ? [] : [{ value, text: given ? `${given.name} (not enabled)` : value }]),
      ]}
      problem={problem}
      onValue={onValue}
    />
  );
}

import type { CatalogueAccess } from "#contracts/rights.ts";
import { READERS } from "../text/access.ts";
import { Select } from "./select.tsx";

const OPTIONS = (Object.keys(READERS) as CatalogueAccess[]).map((access) => ({
  value: access,
  text: access,
}));

type AccessSelectProps = {
  readonly value: CatalogueAccess;
  readonly onValue: (access: CatalogueAccess) => void;
  readonly problem?: string | undefined;
};

/** Who reads a catalogue, and what each choice means. */
export function AccessSelect({ value, onValue, problem }: AccessSelectProps) {
  return (
    <Select
      label="Access"
      value={value}
      options={OPTIONS}
      hint={READERS[value]}
      problem={problem}
      onValue={onValue}
    />
  );
}

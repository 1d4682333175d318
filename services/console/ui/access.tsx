import type { CatalogueAccess } from "#contracts/rights.ts";
import { Select } from "./form/fields.tsx";

/** Who reads a catalogue, by its access. */
export const READERS: Readonly<Record<CatalogueAccess, string>> = {
  public: "Everybody reads it, without an account.",
  internal: "Everybody who is signed in reads it; guests see its name alone.",
  restricted: "Only its members and administrators see that it exists; a share of it still works.",
};

/** Who reads a catalogue, in a word; what it means on hovering. */
export function AccessBadge({ access }: { readonly access: CatalogueAccess }) {
  return (
    <span class={access === "restricted" ? "badge warning" : "badge"} title={READERS[access]}>
      {access}
    </span>
  );
}

const NAMES = Object.keys(READERS) as CatalogueAccess[];
const OPTIONS = NAMES.map((name) => ({ value: name, text: name }));

type AccessSelectProps = {
  readonly value: CatalogueAccess;
  readonly onValue: (access: CatalogueAccess) => void;
  readonly problem?: string | undefined;
};

/** Who reads a catalogue, and what each choice means. */
export function AccessSelect(props: AccessSelectProps) {
  return <Select label="Access" options={OPTIONS} hint={READERS[props.value]} {...props} />;
}

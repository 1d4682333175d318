import type { Catalogue } from "../../model/catalogue.ts";

/** What editors change of a catalogue without a new version. */
export type CatalogueChange = Partial<Pick<Catalogue, "name" | "is_public" | "access">>;

export type ChangeDialogProps = {
  readonly catalogue: Catalogue;
  readonly onChanged: (change: CatalogueChange) => void;
  readonly onClose: () => void;
};

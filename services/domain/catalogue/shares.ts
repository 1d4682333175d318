/** Decisions about shares: secret addresses at which one catalogue can be read. */
import type {
  CatalogueEvent,
  CatalogueEventData,
} from "#contracts/domain-events/catalogue-events.ts";
import { Refusal } from "#contracts/errors.ts";
import { SHARE_LABEL_MAX } from "#contracts/http/shares.ts";
import { requireShortText } from "../short-text.ts";
import { existing } from "./decide.ts";
import type { CatalogueState } from "./state.ts";

/** Shares of one catalogue that have neither been ended nor expired. */
const MAX_SHARES = 100;

export type ShareCatalogue = Omit<CatalogueEventData<"CatalogueShared">, "catalogueId"> & {
  /** ISO 8601 UTC. */
  readonly now: string;
  /**
   * The share that an earlier run of the same command may have made. Its secret is lost, so it is
   * ended.
   */
  readonly insteadOf: string | null;
};

/** @throws Refusal NOT_FOUND, VALIDATION_ERROR for the label, CONFLICT for too many shares */
export function shareCatalogue(
  state: CatalogueState,
  { now, insteadOf, label, ...share }: ShareCatalogue,
): CatalogueEvent[] {
  const { catalogueId, shares } = existing(state);
  const isReplaced = insteadOf !== null && shares.has(insteadOf);
  const open = [...shares.values()].filter((expiresAt) => expiresAt === null || expiresAt > now);
  if (!isReplaced && open.length >= MAX_SHARES) {
    throw new Refusal("CONFLICT", `The catalogue has ${MAX_SHARES} shares already`);
  }
  const data = { catalogueId, ...share, label: shareLabel(label) };
  return [...(isReplaced ? endShare(state, insteadOf) : []), { type: "CatalogueShared", data }];
}

/** @throws Refusal NOT_FOUND */
export function endShare(state: CatalogueState, shareId: string): CatalogueEvent[] {
  const { catalogueId, shares } = existing(state);
  if (!shares.has(shareId)) throw new Refusal("NOT_FOUND", "Share not found");
  return [{ type: "ShareEnded", data: { catalogueId, shareId } }];
}

function shareLabel(text: string | null): string | null {
  const label = text?.trim() ?? "";
  if (label === "") return null;
  requireShortText("label", label, SHARE_LABEL_MAX);
  return label;
}

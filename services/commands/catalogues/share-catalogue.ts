import { createHash, randomBytes } from "node:crypto";
import { DAY_MS } from "#contracts/units.ts";
import { endShare, shareCatalogue } from "#services/domain/catalogues/access.ts";
import type { Command, CommandContext } from "../context.ts";
import { decideOnCatalogue } from "./catalogue-decision.ts";

/** 192 bits: 32 characters of base64url. */
const SECRET_BYTES = 24;

type NewShare = {
  readonly label: string | null;
  /** null: never. */
  readonly expiresInDays: number | null;
};

/**
 * Makes a share of a catalogue. Its secret is returned this once; only its SHA-256 is stored.
 * @throws Refusal NOT_FOUND, VALIDATION_ERROR, CONFLICT
 */
export async function shareCatalogueCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  { label, expiresInDays }: NewShare,
): Promise<{ readonly shareId: string; readonly secret: string }> {
  const now = context.now();
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  const shareId = command.retried ? context.newId() : command.id;
  const share = {
    shareId,
    label,
    secretHash: createHash("sha256").update(secret).digest("hex"),
    expiresAt: expiresInDays === null ? null : later(now, expiresInDays * DAY_MS),
    now: now.toISOString(),
    insteadOf: command.retried ? command.id : null,
  };
  // A command of its own id: a repetition makes another secret, so it may not find the first run's.
  const { position } = await decideOnCatalogue(
    context,
    { ...command, id: shareId, retried: false },
    catalogueId,
    (state) => shareCatalogue(state, share),
  );
  await context.untilVisible("catalogues", position);
  return { shareId, secret };
}

/** Ends a share; its address is unknown from then on. @throws Refusal NOT_FOUND */
export async function endShareCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  shareId: string,
): Promise<void> {
  const { position } = await decideOnCatalogue(context, command, catalogueId, (state) =>
    endShare(state, shareId),
  );
  await context.untilVisible("catalogues", position);
}

function later(time: Date, ms: number): string {
  return new Date(time.getTime() + ms).toISOString();
}

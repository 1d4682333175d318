import { createHash } from "node:crypto";
import type { PackedBulletin } from "../bulletins/packed-bulletin.ts";
import { type EventPlace, encodeFrame, type PlacedPiece } from "./bulletin-frame.ts";

/** A frame ready for an append; `sha256` is the hash of `bytes` in hex. */
export type EncodedFrame = { readonly bytes: Uint8Array; readonly sha256: string };

/** With one further piece a frame is still below an append's 1 MiB. */
const FRAME_BYTES = 256 * 1024;
/** Small bulletins in one frame: for each there is an entry in its index. */
const MAX_PIECES = 5_000;

/** Collects bulletins into frames. */
export function createFrameWriter() {
  let frames: EncodedFrame[] = [];
  let pieces: PlacedPiece[] = [];
  let open = 0;
  let closed = 0;

  function close(): void {
    if (pieces.length === 0) return;
    const bytes = encodeFrame(pieces);
    frames.push({ bytes, sha256: createHash("sha256").update(bytes).digest("hex") });
    closed += bytes.length;
    pieces = [];
    open = 0;
  }

  return {
    push(at: EventPlace, bulletin: Pick<PackedBulletin, "pieces">): void {
      for (const piece of bulletin.pieces) {
        pieces.push({ at, ...piece });
        open += piece.bytes.length;
        if (open >= FRAME_BYTES || pieces.length >= MAX_PIECES) close();
      }
    },
    /** Bytes of all that was pushed and not taken. */
    bytes: () => open + closed,
    take(): readonly EncodedFrame[] {
      close();
      const taken = frames;
      frames = [];
      closed = 0;
      return taken;
    },
  };
}

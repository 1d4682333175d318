import type { SentBytes } from "../../api/send-form.ts";
import { fileSize } from "./file-size.ts";

type SendProgressProps = { readonly bytes: SentBytes; readonly onCancel: () => void };

/** How much of a file has been sent; after that the service reads it, and does not tell how far. */
export function SendProgress({ bytes: { sent, total }, onCancel }: SendProgressProps) {
  const isSent = total > 0 && sent >= total;
  return (
    <div class="stack">
      <progress
        aria-label={isSent ? "Reading" : "Sent"}
        max={Math.max(total, 1)}
        {...(!isSent && { value: sent })}
      />
      <div class="row">
        <span>
          {isSent
            ? "The whole file has been sent. The service is reading it…"
            : `Sending: ${fileSize(sent)}${total > 0 ? ` of ${fileSize(total)}` : ""}`}
        </span>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </div>
  );
}

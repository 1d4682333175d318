import { decimal } from "../../ui/format.ts";

/** How much of the events has come. */
export function Loading({ bytes }: { readonly bytes: number }) {
  return (
    <p class="waiting" role="status">
      Loading the events{bytes > 0 && `: ${decimal(bytes / 2 ** 20, 1)} MB`}…
    </p>
  );
}

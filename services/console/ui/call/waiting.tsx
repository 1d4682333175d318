/** Shown by its style only after 200 ms, so that quick answers do not flicker. */
export function Waiting({ text = "Loading…" }: { readonly text?: string | undefined }) {
  return (
    <p class="waiting" role="status">
      {text}
    </p>
  );
}

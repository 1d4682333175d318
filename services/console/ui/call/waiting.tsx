/** Shown by its style only after 200 ms, so that quick answers do not flicker. */
export function Waiting({ text = "Loading…" }: { readonly text?: string | undefined }) {
  return (
    <div class="waiting" role="status">
      <p>{text}</p>
      <div class="skeleton" aria-hidden="true">
        <span />
        <span />
        <span />
      </div>
    </div>
  );
}

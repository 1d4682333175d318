/** The mark of the console: the trace of an earthquake. */
export function Mark() {
  return (
    <svg viewBox="0 0 26 20" aria-hidden="true">
      <path d="M1 10h4.5l2-3.5L10 14l3-13 3.5 17 2.5-10 2 2H25" />
    </svg>
  );
}

/** Drawn by us, on a grid of 16; as thick and as coloured as their style says (base.css). */
const PATHS = {
  down: "m4.5 6.5 3.5 3.5 3.5-3.5",
  file: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  filter: "M2.5 3.5h11l-4.25 5v4l-2.5 1v-5z",
  left: "m10 4-4 4 4 4",
  person:
    "M8 8.25a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5ZM2.75 13.5c.6-2.4 2.7-3.5 5.25-3.5s4.65 1.1 5.25 3.5",
  right: "m6 4 4 4-4 4",
  search: "M7 11.25a4.25 4.25 0 1 0 0-8.5 4.25 4.25 0 0 0 0 8.5ZM10.2 10.2l3.3 3.3",
  theme: "M8 2.25a5.75 5.75 0 1 0 0 11.5zM8 2.25a5.75 5.75 0 0 1 0 11.5",
  up: "m4.5 9.5 3.5-3.5 3.5 3.5",
  upload: "M8 10.5V3m-3 3 3-3 3 3M3 13h10",
} as const;

export type IconName = keyof typeof PATHS;

export const ICONS = Object.keys(PATHS) as readonly IconName[];

/** A sign beside a word; one that stands alone needs a label where it stands. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The mark of the console: the trace of an earthquake. */
export function Mark() {
  return (
    <svg viewBox="0 0 26 20" aria-hidden="true">
      <path d="M1 10h4.5l2-3.5L10 14l3-13 3.5 17 2.5-10 2 2H25" />
    </svg>
  );
}

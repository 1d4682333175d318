type StepsProps = { readonly names: readonly string[]; readonly at: number };

/** Where one is on a way of several steps; `at` counts from 0. */
export function Steps({ names, at }: StepsProps) {
  return (
    <ol class="steps" aria-label="Steps">
      {names.map((name, index) => (
        <li
          key={name}
          class={index < at ? "done" : undefined}
          aria-current={index === at ? "step" : undefined}
        >
          {name}
        </li>
      ))}
    </ol>
  );
}

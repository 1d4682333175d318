import { Buttons } from "../../features/styleguide/buttons.tsx";
import { Fields } from "../../features/styleguide/fields.tsx";
import { Scales } from "../../features/styleguide/scales.tsx";
import { States } from "../../features/styleguide/states.tsx";
import { Tables } from "../../features/styleguide/tables.tsx";
import { Ways } from "../../features/styleguide/ways.tsx";

/** Every part of the console's looks, in every state. */
export function Page() {
  return (
    <section class="page">
      <div class="page-head">
        <h1>Style guide</h1>
        <span class="badge">development</span>
      </div>
      <p class="muted">
        What pages are made of. A page takes its parts from here and has no style of its own for
        what is here already.
      </p>
      <Scales />
      <Buttons />
      <Fields />
      <Ways />
      <Tables />
      <States />
    </section>
  );
}

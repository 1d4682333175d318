import { Link } from "wouter-preact";
import { useTitle } from "../ui/use-title.ts";

export function NotFound() {
  useTitle("Not found");
  return (
    <section class="page narrow">
      <h1>There is no such page</h1>
      <p>
        The address may be mistyped. All catalogues are on the <Link href="/">first page</Link>.
      </p>
    </section>
  );
}

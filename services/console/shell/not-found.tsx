import { useEffect } from "preact/hooks";
import { Link } from "wouter-preact";

export function NotFound() {
  useEffect(() => {
    document.title = "Not found · Earthquake catalogues";
  }, []);
  return (
    <section class="page narrow">
      <h1>There is no such page</h1>
      <p>
        The address may be mistyped. All catalogues are on the <Link href="/">first page</Link>.
      </p>
    </section>
  );
}

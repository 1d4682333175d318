import { useEffect } from "preact/hooks";

export function NotFound() {
  useEffect(() => {
    document.title = "Not found · Earthquake catalogues";
  }, []);
  return (
    <section class="page narrow">
      <h1>There is no such page</h1>
      <p>
        All catalogues are on the <a href="/">first page</a>.
      </p>
    </section>
  );
}

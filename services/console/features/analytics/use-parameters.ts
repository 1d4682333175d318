import { useLocation } from "wouter-preact";

/** Sets parameters of the page's address; empty ones are taken out of it. */
export type SetParameters = (
  values: Readonly<Record<string, string>>,
  how: "push" | "replace",
) => void;

export function useSetParameters(): SetParameters {
  const [path, navigate] = useLocation();
  return (values, how) => {
    // From the address itself: two changes may come before the page is drawn again.
    const next = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(values)) {
      if (value === "") next.delete(name);
      else next.set(name, value);
    }
    navigate(`${path}?${next}`, { replace: how === "replace" });
  };
}

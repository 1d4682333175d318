import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { theme } from "../../ui/theme.ts";

export type Period = {
  readonly start: string;
  readonly end: string;
  readonly n: number;
  readonly mc: number | null;
  readonly b: number | null;
  readonly sigma: number | null;
};

const HEIGHT = 300;

/** Mc and b with its error by the middles of their periods; the table beside it has the numbers. */
export function PeriodsPlot({ periods }: { readonly periods: readonly Period[] }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const parent = element.current;
    if (!parent) return;
    const middle = ({ start, end }: Period) => (Date.parse(start) + Date.parse(end)) / 2_000;
    const known = (value: number | null) => value ?? undefined;
    const colour = (name: string) => resolved(name, parent);
    const [accent, warning, line] = [colour("--accent"), colour("--warning"), colour("--line")];
    const axis = { stroke: colour("--muted"), grid: { stroke: line }, ticks: { stroke: line } };
    const plot = new uPlot(
      {
        width: Math.max(320, parent.clientWidth),
        height: HEIGHT,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), "Etc/UTC"),
        scales: { b: {}, mc: {} },
        axes: [
          axis,
          { ...axis, scale: "mc", label: "Mc" },
          { ...axis, scale: "b", side: 1, label: "b ± σ", grid: { show: false } },
        ],
        series: [
          { label: "Middle of the period, UTC" },
          { label: "Mc", scale: "mc", stroke: accent, width: 2, points: { show: true } },
          { label: "b", scale: "b", stroke: warning, width: 2, points: { show: true } },
          { label: "b + σ", scale: "b", stroke: warning, dash: [4, 4] },
          { label: "b − σ", scale: "b", stroke: warning, dash: [4, 4] },
        ],
      },
      [
        periods.map(middle),
        periods.map(({ mc }) => known(mc)),
        periods.map(({ b }) => known(b)),
        periods.map(({ b, sigma }) => (b === null || sigma === null ? undefined : b + sigma)),
        periods.map(({ b, sigma }) => (b === null || sigma === null ? undefined : b - sigma)),
      ],
      parent,
    );
    const resize = new ResizeObserver(() =>
      plot.setSize({ width: Math.max(320, parent.clientWidth), height: HEIGHT }),
    );
    resize.observe(parent);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [periods, theme.value]);
  return <div ref={element} class="periods-plot" aria-hidden="true" />;
}

/** A colour of the theme as canvases take it. */
function resolved(name: string, parent: HTMLElement): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  parent.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

import { useRef } from "preact/hooks";

/** A drag shorter than this is a click, pixels. */
const LEAST = 3;

/** How a selection comes: while it is dragged or played, as a choice, or by one step of many. */
export type Moved = "moving" | "chosen" | "stepped";

/** Shares of a length, from 0 at the left or the top to 1. */
export type Stretch = readonly [from: number, to: number];

/** A rectangle of a plot. */
export type Brushed = { readonly x: Stretch; readonly y: Stretch };

/** Pixels between an element's edges and its plot. */
export type Inset = {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
};

type Brush = {
  /** "x": only what is dragged sideways counts. */
  readonly along?: "x";
  readonly inset?: Inset;
  /** Told while it is dragged, and when it is let go. */
  readonly onBrush: (brushed: Brushed, how: "moving" | "chosen") => void;
  /** A drag was given up. */
  readonly onCancel: () => void;
};

const NO_INSET: Inset = { left: 0, right: 0, top: 0, bottom: 0 };

type Point = { readonly x: number; readonly y: number };

/** Chooses a rectangle of a plot by dragging over it. */
export function useBrush({ along, inset = NO_INSET, onBrush, onCancel }: Brush) {
  const began = useRef<Point | null>(null);
  const dragged = useRef<Brushed | null>(null);
  /** Whether what the pointer did last was a drag: the click that follows is none. */
  const wasDragged = useRef(false);
  const stop = () => {
    const brushed = dragged.current;
    began.current = null;
    dragged.current = null;
    return brushed;
  };
  return {
    wasDragged: () => wasDragged.current,
    onPointerDown: (event: PointerEvent) => {
      wasDragged.current = false;
      if (!event.isPrimary || event.button !== 0) return;
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      began.current = { x: event.clientX, y: event.clientY };
    },
    onPointerMove: (event: PointerEvent) => {
      if (began.current === null) return;
      const [x, y] = [event.clientX - began.current.x, event.clientY - began.current.y];
      if (dragged.current === null && Math.hypot(x, along === "x" ? 0 : y) < LEAST) return;
      wasDragged.current = true;
      dragged.current = between(event.currentTarget as HTMLElement, inset, began.current, {
        x: event.clientX,
        y: event.clientY,
      });
      onBrush(dragged.current, "moving");
    },
    onPointerUp: () => {
      const brushed = stop();
      if (brushed) onBrush(brushed, "chosen");
    },
    /** A touch that turned out to scroll the page. */
    onPointerCancel: () => {
      if (stop()) onCancel();
    },
  };
}

function between(element: HTMLElement, inset: Inset, one: Point, other: Point): Brushed {
  const box = element.getBoundingClientRect();
  const width = box.width - inset.left - inset.right;
  const height = box.height - inset.top - inset.bottom;
  return {
    x: stretch(one.x, other.x, box.left + inset.left, width),
    y: stretch(one.y, other.y, box.top + inset.top, height),
  };
}

function stretch(one: number, other: number, from: number, length: number): Stretch {
  const share = (at: number) => Math.max(0, Math.min(1, (at - from) / Math.max(1, length)));
  return [share(Math.min(one, other)), share(Math.max(one, other))];
}

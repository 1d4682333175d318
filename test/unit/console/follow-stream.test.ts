import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { followStream } from "#services/console/api/follow-stream.ts";

class FakeStream extends EventTarget {
  static readonly CLOSED = 2;
  static readonly opened: FakeStream[] = [];
  readyState = 0;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;

  constructor() {
    super();
    FakeStream.opened.push(this);
  }

  close(): void {
    this.readyState = FakeStream.CLOSED;
  }

  refuse(): void {
    this.readyState = FakeStream.CLOSED;
    this.onerror?.();
  }
}

const { opened } = FakeStream;
const page = Object.assign(new EventTarget(), { hidden: false });

function see(isSeen: boolean): void {
  page.hidden = !isSeen;
  page.dispatchEvent(new Event("visibilitychange"));
}

const openOnes = () => opened.filter(({ readyState }) => readyState !== FakeStream.CLOSED);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", FakeStream);
  vi.stubGlobal("document", page);
  vi.stubGlobal("navigator", {});
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  page.hidden = false;
  opened.length = 0;
});

describe("a stream that is followed", () => {
  test("is asked for again when it was refused, ever more rarely, and soon again once it stood", () => {
    const stop = followStream("/feed", { onMessage: () => undefined });
    for (const [n, wait] of [3_000, 6_000, 12_000].entries()) {
      opened.at(-1)?.refuse();
      vi.advanceTimersByTime(wait - 1);
      expect(opened).toHaveLength(n + 1);
      vi.advanceTimersByTime(1);
      expect(opened).toHaveLength(n + 2);
    }
    opened.at(-1)?.onopen?.();
    opened.at(-1)?.refuse();
    vi.advanceTimersByTime(3_000);
    expect(opened).toHaveLength(5);
    stop();
  });

  test("is left to the browser while only its connection is lost", () => {
    const stop = followStream("/feed", { onMessage: () => undefined });
    opened[0]?.onerror?.();
    vi.advanceTimersByTime(120_000);
    expect(opened).toHaveLength(1);
    stop();
  });

  test("tells its messages until the following ends, and is not asked for after that", () => {
    const heard: string[] = [];
    const stop = followStream("/feed", { onMessage: ({ data }) => heard.push(data) });
    opened[0]?.dispatchEvent(new MessageEvent("message", { data: "one" }));
    opened[0]?.refuse();
    stop();
    see(true);
    vi.advanceTimersByTime(120_000);
    expect(heard).toEqual(["one"]);
    expect(opened).toHaveLength(1);
  });

  test("is closed while the page is hidden, and there again when it is seen", () => {
    const states: boolean[] = [];
    const onState = (isOpen: boolean) => states.push(isOpen);
    const stop = followStream("/feed", { onMessage: () => undefined, onState });
    opened[0]?.onopen?.();
    see(false);
    expect(openOnes()).toHaveLength(0);
    vi.advanceTimersByTime(120_000);
    expect(opened).toHaveLength(1);
    see(true);
    expect(openOnes()).toHaveLength(1);
    opened[1]?.onopen?.();
    expect(states).toEqual([true, false, true]);
    stop();
    expect(openOnes()).toHaveLength(0);
  });

  test("of a page that was opened hidden waits until it is seen", () => {
    page.hidden = true;
    const stop = followStream("/feed", { onMessage: () => undefined });
    expect(opened).toHaveLength(0);
    see(true);
    expect(opened).toHaveLength(1);
    stop();
  });

  test("refused while the page is hidden is asked for once when it is seen", () => {
    const stop = followStream("/feed", { onMessage: () => undefined });
    opened[0]?.refuse();
    see(false);
    see(true);
    vi.advanceTimersByTime(120_000);
    expect(opened).toHaveLength(2);
    stop();
  });
});

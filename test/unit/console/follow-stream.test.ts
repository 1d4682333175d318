import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { followStream } from "#services/console/api/follow-stream.ts";

class FakeStream {
  static readonly CLOSED = 2;
  static readonly opened: FakeStream[] = [];
  readyState = 0;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onerror: (() => void) | null = null;

  constructor() {
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

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", FakeStream);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  opened.length = 0;
});

describe("a stream that is followed", () => {
  test("is asked for again when it was refused, ever more rarely, and soon again once it stood", () => {
    const stop = followStream("/feed", () => undefined);
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
    const stop = followStream("/feed", () => undefined);
    opened[0]?.onerror?.();
    vi.advanceTimersByTime(120_000);
    expect(opened).toHaveLength(1);
    stop();
  });

  test("tells its messages until the following ends, and is not asked for after that", () => {
    const heard: string[] = [];
    const stop = followStream("/feed", (data) => heard.push(data));
    opened[0]?.onmessage?.({ data: "one" });
    opened[0]?.refuse();
    stop();
    vi.advanceTimersByTime(120_000);
    expect(heard).toEqual(["one"]);
    expect(opened).toHaveLength(1);
  });
});

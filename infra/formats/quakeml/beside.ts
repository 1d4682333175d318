/**
 * Objects that stand beside the events of a document, in QuakeML's real-time variant and in
 * SCML, and how events take them in.
 */

import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Foreign, Kind } from "#contracts/bulletin/quakeml.ts";
import { MAX_BULLETIN_BYTES } from "#contracts/seismic-event/bulletin-objects.ts";
import { MIB } from "#contracts/units.ts";
import { createTextIndex } from "../../files/text-index.ts";
import { nameObjects, takeOutOfOrigins, walkReferences } from "./object-builder.ts";
import { EVENT_REFERENCES, foreignOf, type OpenObject } from "./type-plans.ts";

/** Whether an event names objects beside it. */
export function refersBeside(event: OpenObject): boolean {
  const named = foreignOf(event).some(({ name }) => EVENT_REFERENCES.has(name));
  return named || (event["origin"] === undefined && event["preferredOriginID"] !== undefined);
}

/**
 * Takes into an event the objects beside it that belong to it; returns them, else why they cannot be
 * had. References by element that lead somewhere are taken out.
 * @param isOnly amplitudes that nothing names are the event's, since the document has no other
 */
export function joinEvent(
  event: OpenObject,
  beside: ObjectsBeside,
  isOnly: boolean,
): Taken | string {
  const foreign = foreignOf(event);
  const named = new Map<Foreign, Named>();
  for (const item of foreign) {
    const one = namedBy(item);
    if (one !== null && beside.has(one)) named.set(item, one);
  }
  takeOutOfOrigins(event);
  const strays = isOnly ? beside.allOf("amplitude") : [];
  let taken = beside.takeFor(event, [...named.values(), ...strays]);
  if (typeof taken === "string" && strays.length > 0) {
    taken = beside.takeFor(event, [...named.values()]);
  }
  if (typeof taken === "string") return taken;
  const rest = foreign.filter((item) => !named.has(item));
  if (rest.length > 0) event["foreign"] = rest;
  else delete event["foreign"];
  for (const parts of taken.parts) addParts(event, parts);
  nameObjects(event);
  return taken;
}

function addParts(event: OpenObject, parts: Parts): void {
  for (const [list, objects] of Object.entries(parts)) {
    const present = event[list] as OpenObject[] | undefined;
    if (present === undefined) event[list] = [...objects];
    else for (const object of objects) present.push(object);
  }
}

/** QuakeML has the id in an element of its own, SCML as text. */
function namedBy({ name, text, children = [] }: Foreign): Named | null {
  const kind = EVENT_REFERENCES.get(name);
  if (kind === undefined) return null;
  const id = (children.find((child) => child.name === `${kind}ID`)?.text ?? text)?.trim();
  return id === undefined || id === "" ? null : { kind, id };
}

/**
 * Events may share objects, but a small document must not become a large one by naming an origin again
 * and again: events take at most so many times what there is, beyond SHARED_BYTES.
 */
const SHARED_TIMES = 4;
const SHARED_BYTES = 64 * MIB;
const FIRST_PLACES = 1024;

/** What an object names and so belongs to, though nothing may name it. */
const OWNERS: { readonly [K in Kind]?: { readonly member: string; readonly kind: Kind } } = {
  magnitude: { member: "originID", kind: "origin" },
  stationMagnitude: { member: "originID", kind: "origin" },
  amplitude: { member: "pickID", kind: "pick" },
};

/** The list of an event in which an object belongs. */
export type ListName = Kind | "foreign";

/** Elements by place in ELEMENT_KINDS. */
export type Counts = readonly number[];

/** An object with what stood inside it, in the lists of an event. */
type Parts = { readonly [L in ListName]?: readonly OpenObject[] };

export type Named = { readonly kind: Kind; readonly id: string };

export type Taken = {
  /** In the order of the document. */
  readonly parts: readonly Parts[];
  /** Of their JSON. */
  readonly bytes: number;
  /** The event is kept. Returns the elements of its parts, but for those that earlier events have kept. */
  readonly keep: () => Counts;
};

type Kept = { readonly parts: Parts; readonly counts: Counts };

export type ObjectsBeside = ReturnType<typeof createObjectsBeside>;

/** The objects that stand beside the events of a document, which name them directly or through others. */
export function createObjectsBeside(store: ObjectStore) {
  const byId = createTextIndex();
  const byOwner = createTextIndex();
  /** By place in the store. */
  const lists: (ListName | undefined)[] = [];
  let isKept = new Uint8Array(FIRST_PLACES);
  let stored = 0;
  let taken = 0;

  function keep(found: readonly (readonly [number, Kept])[]): Counts {
    const fresh = found.filter(([place]) => isKept[place] === 0);
    for (const [place] of fresh) isKept[place] = 1;
    return fresh.reduce<Counts>((sum, [, { counts }]) => added(sum, counts), []);
  }

  return {
    /**
     * @param counts of the object and what is inside it
     * @param owners what it belongs to, beside what its own members say
     */
    add(list: ListName, object: OpenObject, counts: Counts, owners: readonly Named[] = []): void {
      const parts: OpenObject = { [list]: [object] };
      takeOutOfOrigins(parts);
      const place = store.add({ parts, counts });
      stored += store.sizeOf(place);
      lists[place] = list;
      if (place >= isKept.length) {
        const larger = new Uint8Array(2 * place);
        larger.set(isKept);
        isKept = larger;
      }
      walkReferences(parts, {
        object(kind, { publicID }) {
          if (publicID !== "") byId.add(keyOf(kind, publicID as string), place);
        },
      });
      const owner = list === "foreign" ? undefined : OWNERS[list];
      const ownerId = owner === undefined ? undefined : object[owner.member];
      if (owner !== undefined && typeof ownerId === "string") {
        byOwner.add(keyOf(owner.kind, ownerId), place);
      }
      for (const { kind, id } of owners) byOwner.add(keyOf(kind, id), place);
    },
    has: ({ kind, id }: Named): boolean => byId.numbersOf(keyOf(kind, id)).length > 0,
    /**
     * What an event names, and all that this names; else why it cannot be had. The origins of mechanisms
     * are taken only beside another: alone they are no hypocentres.
     */
    takeFor(event: Parts, named: readonly Named[]): Taken | string {
      const found = new Map<number, Kept>();
      const leads = createLeads();
      let size = 0;
      let hasOrigin = event.origin !== undefined;
      for (const one of named) leads.follow(one);
      lead(event, leads);
      for (let key = leads.next(hasOrigin); key !== undefined; key = leads.next(hasOrigin)) {
        for (const place of [...byId.numbersOf(key), ...byOwner.numbersOf(key)]) {
          if (found.has(place)) continue;
          size += store.sizeOf(place);
          taken += store.sizeOf(place);
          if (size > MAX_BULLETIN_BYTES) return "the event holds more than can be read";
          if (taken > SHARED_BYTES + SHARED_TIMES * stored) {
            return "the events share more objects than can be read";
          }
          const object = store.take(place) as Kept;
          found.set(place, object);
          hasOrigin ||= object.parts.origin !== undefined;
          lead(object.parts, leads);
        }
      }
      const inOrder = [...found].sort(([a], [b]) => a - b);
      const parts = inOrder.map(([, kept]) => kept.parts);
      return { parts, bytes: size, keep: () => keep(inOrder) };
    },
    /** All objects of a kind; none where they are more than an event holds. */
    allOf(kind: Kind): readonly Named[] {
      const places = lists.flatMap((list, place) => (list === kind ? place : []));
      const size = places.reduce((sum, place) => sum + store.sizeOf(place), 0);
      if (size > MAX_BULLETIN_BYTES) return [];
      const objects = places.flatMap((place) => (store.take(place) as Kept).parts[kind] ?? []);
      return objects.map(({ publicID }) => ({ kind, id: publicID as string }));
    },
    /** How many objects of each list no event has kept. */
    unused(): ReadonlyMap<ListName, number> {
      const counts = new Map<ListName, number>();
      for (const [place, list] of lists.entries()) {
        if (list === undefined || isKept[place] === 1) continue;
        counts.set(list, (counts.get(list) ?? 0) + 1);
      }
      return counts;
    },
  };
}

/** What is still to be looked for, each once: references may go in circles. */
function createLeads() {
  const seen = new Set<string>();
  const open: string[] = [];
  const later: string[] = [];

  return {
    follow({ kind, id }: Named, isLater = false): void {
      if (id === "") return;
      const key = keyOf(kind, id);
      if (isLater) later.push(key);
      else if (!seen.has(key)) {
        seen.add(key);
        open.push(key);
      }
    },
    next(withLater: boolean): string | undefined {
      while (withLater && open.length === 0) {
        const key = later.pop();
        if (key === undefined) return undefined;
        if (seen.has(key)) continue;
        seen.add(key);
        return key;
      }
      return open.pop();
    },
  };
}

/** Follows what objects name, and looks for what belongs to them. */
function lead(parts: Parts, leads: ReturnType<typeof createLeads>): void {
  walkReferences(parts as OpenObject, {
    object: (kind, { publicID }) => leads.follow({ kind, id: publicID as string }),
    reference(kind, object, member) {
      const isOfMechanism = member === "derivedOriginID" || member === "triggeringOriginID";
      leads.follow({ kind, id: object[member] as string }, isOfMechanism);
    },
  });
}

const keyOf = (kind: Kind, id: string): string => `${kind} ${id}`;

/** The sum of two counts, of which the first may be empty. */
export function added(a: Counts, b: Counts): Counts {
  return b.map((count, place) => count + (a[place] ?? 0));
}

/** Bytes kept in memory before a file is opened, and between writes to it. */
const MEMORY_BYTES = 4 * MIB;

export type ObjectStore = ReturnType<typeof createObjectStore>;

const forgotten = new FinalizationRegistry<number>(closeSync);

/** Objects as JSON: in memory while few, then in a temporary file without a name. */
export function createObjectStore() {
  const ends: number[] = [];
  let memory: Buffer[] = [];
  let memorySize = 0;
  let written = 0;
  let file: number | null = null;
  const store = { add, take, sizeOf, close };

  /** The place from which the object is taken again. */
  function add(object: object): number {
    const bytes = Buffer.from(JSON.stringify(object));
    memory.push(bytes);
    memorySize += bytes.length;
    ends.push(written + memorySize);
    if (memorySize > MEMORY_BYTES) spill();
    return ends.length - 1;
  }

  function startOf(place: number): number {
    return place === 0 ? 0 : (ends[place - 1] ?? 0);
  }

  /** Bytes of its JSON. */
  function sizeOf(place: number): number {
    return (ends[place] ?? 0) - startOf(place);
  }

  function spill(): void {
    if (file === null) {
      file = openUnnamed();
      forgotten.register(store, file, store);
    }
    const bytes = Buffer.concat(memory);
    for (let from = 0; from < bytes.length; ) from += writeSync(file, bytes, from);
    written += bytes.length;
    memory = [];
    memorySize = 0;
  }

  function take(place: number): unknown {
    const start = startOf(place);
    const length = sizeOf(place);
    if (start >= written) {
      if (memory.length > 1) memory = [Buffer.concat(memory)];
      const [bytes = Buffer.alloc(0)] = memory;
      return JSON.parse(bytes.toString("utf8", start - written, start - written + length));
    }
    const bytes = Buffer.alloc(length);
    for (let from = 0; from < length; ) {
      const read = file === null ? 0 : readSync(file, bytes, from, length - from, start + from);
      if (read === 0) throw new Error("the temporary file is shorter than what was written to it");
      from += read;
    }
    return JSON.parse(bytes.toString());
  }

  function close(): void {
    memory = [];
    if (file === null) return;
    forgotten.unregister(store);
    closeSync(file);
    file = null;
  }

  return store;
}

/** A temporary file that is unlinked at once, so that nothing remains after a crash. */
function openUnnamed(): number {
  const directory = mkdtempSync(join(tmpdir(), "catalogue-objects-"));
  try {
    return openSync(join(directory, "objects"), "wx+", 0o600);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

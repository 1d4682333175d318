import { deflateRawSync } from "node:zlib";

/** A ZIP of files, deflated or stored, with nothing more than readers need. */
export function zip(
  files: Readonly<Record<string, string | Buffer>>,
  isDeflated = true,
): Uint8Array<ArrayBuffer> {
  const bodies: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const content = isDeflated ? deflateRawSync(text) : Buffer.from(text);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(isDeflated ? 8 : 0, 10);
    entry.writeUInt32LE(content.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    entries.push(entry, Buffer.from(name));
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    bodies.push(local, Buffer.from(name), content);
    offset += local.length + name.length + content.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length / 2, 10);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...bodies, ...entries, end]));
}

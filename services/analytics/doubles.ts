/** Doubles as PostgreSQL sends them: 8 bytes each, the most significant first. */
export function doublesOf(bytes: Uint8Array): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = Float64Array.BYTES_PER_ELEMENT;
  return Float64Array.from({ length: bytes.length / size }, (_, i) => view.getFloat64(i * size));
}

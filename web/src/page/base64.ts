/** Bytes that are written as text. */

/** The bytes of a text in base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  // A mapped `Uint8Array.from` takes some fifty times as long, which counts for an engine of a megabyte.
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

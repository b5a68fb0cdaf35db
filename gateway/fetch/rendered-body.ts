import type { RenderedFetch__Output } from '../../proto/generated/gsq/v1/RenderedFetch.ts';

const OPEN = Buffer.from('{');
const COMMA = Buffer.from(',');
const META_KEY = Buffer.from('"_meta":');
const CLOSE = Buffer.from('}');

/** Joins rendered payloads into the answer's one object: addresses as the caller wrote them, `_meta` last. */
export function renderedBody({ servers, meta }: RenderedFetch__Output): Buffer {
  const parts: Buffer[] = [OPEN];
  for (const { server, payload } of servers) {
    parts.push(Buffer.from(`${JSON.stringify(server)}:`), payload, COMMA);
  }
  parts.push(META_KEY, meta, CLOSE);
  return Buffer.concat(parts);
}

import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, inflate, unzip } from 'node:zlib';
import { ServiceError } from '../../proto/service-error.ts';
import { CallerGone } from '../http/error-reply.ts';
import { headerOf } from '../http/exchange.ts';

/** Maximum size of a request body in bytes. It applies to the body as sent and to the decompressed body. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Maximum size of a body that is read before authentication, in bytes. */
export const SMALL_BODY_BYTES = 64 * 1024;

const decoders: Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(unzip),
  'x-gzip': promisify(unzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

const MAX_BODY_MEMORY = 32 * 1024 * 1024;

/** Limits the total memory of the large bodies that are buffered at the same time. */
export class BodyMemory {
  readonly #limit: number;
  #used = 0;

  /**
   * `limit`: maximum total size of all large request bodies in memory, in bytes. A request that would exceed the limit
   * is refused with the error CORE_1.
   */
  constructor(limit = MAX_BODY_MEMORY) {
    this.#limit = limit;
  }

  /** Total size of the large request bodies that are in memory now, in bytes. */
  get used(): number {
    return this.#used;
  }

  /**
   * Reserves memory for a part of a large request body. Throws CORE_1 if the total of all large bodies would exceed the
   * limit.
   */
  allocate(bytes: number): void {
    if (this.#used + bytes > this.#limit) {
      throw new ServiceError(
        'CORE_1',
        'The service holds too many large requests at the moment; try again.',
        {
          retryAfterSeconds: 1,
        },
      );
    }
    this.#used += bytes;
  }

  free(bytes: number): void {
    this.#used -= bytes;
  }
}

/**
 * The memory that one request reserves for its body. A small body needs none, because it fits into the buffers of its
 * connection. A large body is accepted only from an authenticated caller, so other callers cannot use up the memory.
 */
export class BodyAllocation {
  readonly #memory: BodyMemory;
  readonly #authenticate: () => Promise<unknown>;
  #authentication: Promise<unknown> | undefined;
  #bytes = 0;

  /** `authenticate`: authenticates the caller. It must reject if the caller is not allowed to fetch. */
  constructor(memory: BodyMemory, authenticate: () => Promise<unknown>) {
    this.#memory = memory;
    this.#authenticate = authenticate;
  }

  /**
   * Authenticates the caller once, even if this method is called several times. Rejects if the caller is not allowed to
   * fetch.
   */
  authenticateCaller(): Promise<unknown> {
    this.#authentication ??= this.#authenticate();
    return this.#authentication;
  }

  /**
   * Reserves memory for the body of this request, `bytes` in total. Does nothing if the body is small. Rejects if the
   * caller is not allowed to fetch. Rejects with CORE_1 if the memory for large bodies is used up.
   */
  async growTo(bytes: number): Promise<void> {
    if (bytes <= SMALL_BODY_BYTES) return;
    await this.authenticateCaller();
    this.#memory.allocate(bytes - this.#bytes);
    this.#bytes = bytes;
  }

  /** Releases the memory that this request reserved for its body. */
  release(): void {
    this.#memory.free(this.#bytes);
    this.#bytes = 0;
  }
}

/**
 * Reads the body of a request. Returns undefined if the body is over MAX_BODY_BYTES, and leaves the rest of the body
 * unread. Rejects with CallerGone if the caller closes the connection, and with every error that `allocation` throws.
 */
export async function readBody(
  request: IncomingMessage,
  allocation: BodyAllocation,
): Promise<Buffer | undefined> {
  const declared = Number(headerOf(request, 'content-length'));
  if (declared > MAX_BODY_BYTES) return undefined;
  if (declared > SMALL_BODY_BYTES) await allocation.authenticateCaller();
  const chunks: Buffer[] = [];
  let length = 0;
  const arriving = request.iterator({ destroyOnReturn: false });
  const next = () =>
    arriving.next().catch(() => {
      throw new CallerGone();
    });
  try {
    for (let step = await next(); !step.done; step = await next()) {
      const chunk: Buffer = step.value;
      length += chunk.length;
      if (length > MAX_BODY_BYTES) return undefined;
      await allocation.growTo(length);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    await arriving.return?.();
  }
}

/** The supported values of Content-Encoding, for error messages and for the Accept-Encoding header of a 415 answer. */
export const readableCodings = 'gzip, deflate, br';

/** Returns true if gsq supports this Content-Encoding. */
export function isReadableCoding(coding: string): boolean {
  return coding === '' || coding === 'identity' || Object.hasOwn(decoders, coding);
}

/**
 * Decodes a body that has the given Content-Encoding. Rejects with POST_5 if the decoded body is over the limit, with
 * POST_2 if the bytes are invalid, and with every error that `allocation` throws.
 */
export async function decodeBody(bytes: Buffer, coding: string, allocation: BodyAllocation): Promise<Buffer> {
  const decoder = decoders[coding];
  if (!decoder) return bytes;
  const decodeUpTo = async (maxOutputLength: number): Promise<Buffer | undefined> => {
    try {
      return await decoder(bytes, { maxOutputLength });
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
        return undefined;
      throw new ServiceError('POST_2', `The body is not valid ${coding}, as Content-Encoding says it is.`, {
        violations: [{ path: '', message: `is not valid ${coding}` }],
      });
    }
  };
  // A small compressed body can become large when it is decompressed. So gsq first decodes at most SMALL_BODY_BYTES. If
  // the decoded body is larger, gsq authenticates the caller before it decodes the whole body.
  const small = await decodeUpTo(SMALL_BODY_BYTES);
  if (small) return small;
  await allocation.authenticateCaller();
  const decoded = await decodeUpTo(MAX_BODY_BYTES);
  if (decoded === undefined) throw tooLarge();
  await allocation.growTo(bytes.length + decoded.length);
  return decoded;
}

/** Creates a POST_5 error: the body is over the size limit. */
export function tooLarge(): ServiceError {
  return new ServiceError('POST_5', 'The body is over 1 MiB; send fewer addresses in one request.');
}

import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from './engine-connection.ts';
import { type EngineUrl, EngineUrlError } from './engine-url.ts';

/**
 * Returns the options of all connections to the storage engine. Reads the TLS files. Throws EngineUrlError if a file
 * cannot be read.
 */
export function connectionOptions({ username, password, tls }: EngineUrl): ConnectionOptions {
  if (!tls) return { username, password, tls };
  const files = { ca: read('ca', tls.ca), cert: read('cert', tls.cert), key: read('key', tls.key) };
  return { username, password, tls: files };
}

function read(name: string, path: string | undefined): Buffer | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path);
  } catch (error) {
    const cause = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new EngineUrlError(`the file of its parameter ${name} cannot be read${cause}`);
  }
}

import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ServiceError } from '../../proto/service-error.ts';
import { matchesTag } from '../http/entity-tag.ts';
import { type Exchange, headerOf, type Reply } from '../http/exchange.ts';
import type { Endpoint } from '../http/listener.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * The only inline script of the pages. It loads the script of the page, whose path is in an attribute of the body. The
 * Content-Security-Policy allows this script by its hash, and with 'strict-dynamic' also the script elements that it
 * creates. A call of `import` would not be allowed.
 */
export const LOADER =
  "document.head.append(Object.assign(document.createElement('script'),{type:'module',src:document.body.dataset.script}))";

interface Asset {
  body: Buffer;
  gzipped: Buffer;
  type: string;
  tag: string;
}

/** The scripts and styles of the pages. The path of each file contains a hash of the file, so browsers can keep it. */
export class Assets {
  /** The files, keyed by the last segment of their path. */
  readonly #files = new Map<string, Asset>();
  /** The paths, keyed by the name of the file. */
  readonly #paths = new Map<string, string>();

  /** Reads all files of a folder. Throws an Error if the folder does not exist. */
  constructor(folder: string = join(import.meta.dirname, 'built')) {
    for (const name of readdirSync(folder)) {
      const type = TYPES[extname(name)];
      if (type === undefined) continue;
      const body = readFileSync(join(folder, name));
      const version = hash('sha256', body, 'hex').slice(0, 12);
      const segment = `${name.slice(0, -extname(name).length)}-${version}${extname(name)}`;
      this.#files.set(segment, { body, gzipped: gzipSync(body, { level: 9 }), type, tag: `"${version}"` });
      this.#paths.set(name, `/assets/${segment}`);
    }
  }

  /** Returns the path of a file, `/assets/…`. Throws an Error if there is no such file. */
  pathOf(name: string): string {
    const path = this.#paths.get(name);
    if (path === undefined) throw new Error(`the pages have no file ${name}; npm run page builds it`);
    return path;
  }

  /** Returns the file with this last segment of the path, or undefined. */
  find(segment: string): Asset | undefined {
    return this.#files.get(segment);
  }
}

/** Serves the scripts and styles of the pages under `/assets/{name}`. */
export class AssetsEndpoint implements Endpoint {
  readonly name = 'assets';
  readonly method = 'GET';
  readonly wrongMethod = 'ROUTE_2';
  readonly preflights = false;
  readonly #assets: Assets;

  constructor(assets: Assets) {
    this.#assets = assets;
  }

  answer({ request, target }: Exchange): Reply {
    const file = this.#assets.find(target.variables.name ?? '');
    if (!file) throw new ServiceError('ROUTE_1', 'There is no such file; reload the page.');
    const headers = {
      'Content-Type': file.type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
      ETag: file.tag,
    };
    if (matchesTag(headerOf(request, 'if-none-match'), file.tag)) return { status: 304, headers };
    return { status: 200, headers, body: file.body, gzipped: () => file.gzipped };
  }
}

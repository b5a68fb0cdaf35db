import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ServiceError } from '../../proto/service-error.ts';
import type { Exchange, Reply } from '../http/exchange.ts';
import type { Endpoint } from '../http/listener.ts';
import { fileReply, type StaticFile, staticFile } from '../http/static-file.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * The only inline script of the pages. It loads the script that the body element names. For this purpose, it adds a
 * script element, because the Content-Security-Policy ('strict-dynamic') forbids a call of `import`.
 */
export const LOADER =
  "document.head.append(Object.assign(document.createElement('script'),{type:'module',src:document.body.dataset.script}))";

/** The folders that contain the scripts and styles of the pages. */
const FOLDERS = ['built', '../docs/swagger-ui'].map(name => join(import.meta.dirname, name));

/** The scripts and styles of the pages. Browsers can cache each file, because its URL path contains its hash. */
export class Assets {
  /** The scripts, styles and images, keyed by the last segment of their URL path. */
  readonly #files = new Map<string, StaticFile>();
  /** The URL path of each script, style and image, keyed by the name of the file. */
  readonly #paths = new Map<string, string>();

  /**
   * Reads all scripts, styles and SVG images of some folders. A file `<name>.gz` is served under the name `<name>`.
   * Throws an Error if a folder does not exist.
   */
  constructor(folders: readonly string[] = FOLDERS) {
    for (const folder of folders) for (const entry of readdirSync(folder)) this.#addFile(folder, entry);
  }

  #addFile(folder: string, entry: string): void {
    const name = entry.replace(/\.gz$/, '');
    const extension = extname(name);
    const type = TYPES[extension];
    if (type === undefined) return;
    const content = readFileSync(join(folder, entry));
    const file = name === entry ? staticFile(content, type) : staticFile(gunzipSync(content), type, content);
    const segment = `${name.slice(0, -extension.length)}-${file.version}${extension}`;
    this.#files.set(segment, file);
    this.#paths.set(name, `/assets/${segment}`);
  }

  /** Returns the URL path of a file, `/assets/…`. Throws an Error if there is no such file. */
  pathOf(name: string): string {
    const path = this.#paths.get(name);
    if (path === undefined) throw new Error(`the pages have no file ${name}; npm run page builds it`);
    return path;
  }

  /** Returns the file whose URL path ends with this segment. Returns undefined if there is no such file. */
  find(segment: string): StaticFile | undefined {
    return this.#files.get(segment);
  }
}

/** Serves the scripts and styles of the pages under `/assets/{name}`. */
export class AssetsEndpoint implements Endpoint {
  readonly name = 'assets';
  readonly method = 'GET';
  readonly acceptsHead = true;
  readonly wrongMethod = 'ROUTE_2';
  readonly preflights = false;
  readonly #assets: Assets;

  constructor(assets: Assets) {
    this.#assets = assets;
  }

  answer(exchange: Exchange): Reply {
    const file = this.#assets.find(exchange.target.variables.name ?? '');
    if (!file) throw new ServiceError('ROUTE_1', 'There is no such file; reload the page.');
    return fileReply(exchange, file, 'public, max-age=31536000, immutable');
  }
}

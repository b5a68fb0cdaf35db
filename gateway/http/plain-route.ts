import type { Response, Target } from './exchange.ts';
import type { PlainRequest } from './plain-request.ts';

/** A route for plain requests: requests that are simple enough to be parsed without node:http. */
export interface PlainRoute {
  method: string;
  /** Path of the route. A variable is a name in braces and matches a part of one segment. */
  path: string;
  /**
   * Returns true if this route can answer the request. If it returns false, node:http parses and handles the request.
   */
  acceptsPlain(request: PlainRequest): boolean;
  /** Handles a request for which `acceptsPlain` returned true. Must answer the request, immediately or later. */
  listener(request: PlainRequest, response: Response, target?: Target): void;
}

/** The route that matches the request line of a plain request (a request that is parsed without node:http). */
export interface MatchedRoute {
  route: PlainRoute;
  /** Path variables and query of the request. Undefined if the request has neither path variables nor a query. */
  target: Target | undefined;
  /** Length of the request line with its line break, in bytes. */
  length: number;
}

/** Maximum length of an HTTP request line, in bytes. */
const MAX_LINE_BYTES = 4096;
const LINE = /^GET (\/[!-"$->@-~]*)(?:\?([!-"$-~]*))? HTTP\/1\.1$/;

/**
 * Finds the route of a plain request (a request that is parsed without node:http) by its request line (RFC 9112, 3).
 */
export class PlainRoutes {
  /** The HTTP routes whose paths have no variables. Keyed by the request line of the route, without its line break. */
  readonly #exact: ReadonlyMap<string, MatchedRoute>;
  readonly #patterns: readonly { route: PlainRoute; pattern: RegExp; names: readonly string[] }[];

  constructor(routes: readonly PlainRoute[]) {
    this.#exact = new Map(
      routes
        .filter(({ path }) => !path.includes('{'))
        .map(route => {
          const line = `${route.method} ${route.path} HTTP/1.1`;
          return [line, { route, target: undefined, length: line.length + 2 }];
        }),
    );
    this.#patterns = routes
      .filter(({ method }) => method === 'GET')
      .map(route => ({ route, pattern: patternOf(route.path), names: namesIn(route.path) }));
  }

  /** True if the gateway has no route for plain requests (requests that can be parsed without node:http). */
  get isEmpty(): boolean {
    return this.#exact.size === 0 && this.#patterns.length === 0;
  }

  /**
   * Returns the route of the request that begins with `bytes`. Returns undefined if no route matches, or if the request
   * line is incomplete or too long.
   */
  find(bytes: Buffer): MatchedRoute | undefined {
    const end = bytes.indexOf('\r\n', 0, 'latin1');
    if (end < 0 || end > MAX_LINE_BYTES) return undefined;
    const line = bytes.toString('latin1', 0, end);
    const exact = this.#exact.get(line);
    if (exact) return exact;
    const [, path, query = ''] = LINE.exec(line) ?? [];
    if (path === undefined) return undefined;
    for (const { route, pattern, names } of this.#patterns) {
      const variables = variablesIn(pattern.exec(path), names);
      if (!variables) continue;
      return { route, target: { variables, query: new URLSearchParams(query) }, length: end + 2 };
    }
    return undefined;
  }
}

const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '([^/]+)');
  return new RegExp(`^${escaped}$`);
}

/**
 * Returns the decoded path variables of a request. Returns undefined if the path did not match, or if a variable cannot
 * be decoded.
 */
function variablesIn(
  match: RegExpExecArray | null,
  names: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (!match) return undefined;
  try {
    return Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(match[i + 1] ?? '')]));
  } catch {
    return undefined;
  }
}

import { isIPv6 } from 'node:net';

/** Error in the URL of the storage engine. The message never contains the user, the password or a query value. */
export class EngineUrlError extends Error {
  override name = 'EngineUrlError';
}

/** Network address of a node: one server process of the storage engine, such as Redis. */
export interface NodeAddress {
  host: string;
  port: number;
}

/** The parsed URL of the storage engine. */
export interface EngineUrl {
  /**
   * Addresses of the seed nodes: the nodes that gsq asks first for the topology of a cluster. There is at least one.
   */
  seeds: readonly NodeAddress[];
  username: string | undefined;
  password: string | undefined;
  /** Paths of PEM files for TLS; undefined if connections to the storage engine are not encrypted. */
  tls: TlsFiles | undefined;
  /**
   * Number of replicas that must confirm a durable write. If it is undefined, one replica must confirm in a cluster,
   * and no replica on a single node.
   */
  replicas: number | undefined;
  /** True if a durable write must also be in the append-only files of the master and of the replicas (WAITAOF). */
  aof: boolean;
  /** The URL of the storage engine without user, password and query, for error messages and logs. */
  shown: string;
}

/** Paths of PEM files for TLS connections to the storage engine. A path is undefined if no such file is configured. */
export interface TlsFiles {
  /**
   * File with the certificates of the accepted certificate authorities. If undefined, Node's own authorities and those
   * of NODE_EXTRA_CA_CERTS are accepted.
   */
  ca: string | undefined;
  /** Files with the client certificate (`cert`) and its private key (`key`). Either both are given or none. */
  cert: string | undefined;
  key: string | undefined;
}

const SHAPE = /^(rediss?):\/\/([^/?#]*)(\/[^?#@]*)?(?:\?([^#]*))?$/s;
const DEFAULT_PORT = 6379;
const MAX_REPLICAS = 10;
const TLS_PARAMETERS = ['ca', 'cert', 'key'];
const PARAMETERS = ['replicas', 'aof', ...TLS_PARAMETERS];

/**
 * Parses the URL of a storage engine: `redis://[user[:password]@]host[:port][,host[:port]...]/[?parameters]`. With
 * `rediss://`, all connections use TLS. Parameters: `replicas` (0 to 10), `aof` (`yes` or `no`), and for TLS `ca`,
 * `cert` and `key` (paths of PEM files). Throws EngineUrlError.
 */
export function parseEngineUrl(text: string): EngineUrl {
  const [, scheme, authority = '', path = '', query = ''] = SHAPE.exec(text) ?? [];
  if (!scheme) {
    throw new EngineUrlError(
      'it must be redis://host:port or rediss://host:port, with optional user:password@ before the host; ' +
        'write the characters / ? # @ : of a user or a password as %2F %3F %23 %40 %3A',
    );
  }
  if (!['', '/', '/0'].includes(path)) {
    throw new EngineUrlError('after the hosts it has a path, but only database 0 (or no path) is possible');
  }
  const at = authority.lastIndexOf('@');
  const seeds = authority
    .slice(at + 1)
    .split(',')
    .map(parseSeed);
  const parameters = parseParameters(query, scheme === 'rediss');
  return {
    seeds,
    ...parseCredentials(at < 0 ? undefined : authority.slice(0, at)),
    ...parameters,
    shown: `${scheme}://${seeds.map(showAddress).join(',')}`,
  };
}

/** Formats a network address as `host:port`. An IPv6 host is in brackets. */
export function showAddress({ host, port }: NodeAddress): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

function parseSeed(text: string, index: number): NodeAddress {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = digits === undefined ? DEFAULT_PORT : Number(digits);
  if (!host || (bracketed !== undefined && !isIPv6(bracketed)) || port < 1 || port > 65_535) {
    throw new EngineUrlError(
      `host number ${index + 1} is not host:port (an IPv6 address must be in brackets)`,
    );
  }
  return { host, port };
}

function parseCredentials(text: string | undefined): Pick<EngineUrl, 'username' | 'password'> {
  if (text === undefined) return { username: undefined, password: undefined };
  const colon = text.indexOf(':');
  if (colon < 0) {
    throw new EngineUrlError(
      'it has a user and no password: write user:password@, or :password@ for the user "default"',
    );
  }
  const [username, password] = [text.slice(0, colon), text.slice(colon + 1)].map(decode);
  if (!password) throw new EngineUrlError('its password is empty');
  return { username: username || undefined, password };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new EngineUrlError('its user or password has a % that is not followed by two hexadecimal digits');
  }
}

function parseParameters(query: string, isTls: boolean): Pick<EngineUrl, 'replicas' | 'aof' | 'tls'> {
  const given = new URLSearchParams(query);
  for (const name of given.keys()) {
    if (!PARAMETERS.includes(name)) {
      throw new EngineUrlError(`it has an unknown parameter; the known ones are ${PARAMETERS.join(', ')}`);
    }
    if (given.getAll(name).length > 1) throw new EngineUrlError(`it has the parameter ${name} twice`);
    if (!isTls && TLS_PARAMETERS.includes(name)) {
      throw new EngineUrlError(`it has the parameter ${name}, which only rediss:// can have`);
    }
  }
  const [ca, cert, key] = TLS_PARAMETERS.map(name => given.get(name) || undefined);
  if ((cert === undefined) !== (key === undefined)) {
    throw new EngineUrlError('it needs both parameters cert and key, or none of them');
  }
  return {
    replicas: parseReplicas(given.get('replicas')),
    aof: parseAof(given.get('aof')),
    tls: isTls ? { ca, cert, key } : undefined,
  };
}

function parseReplicas(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (!/^\d{1,2}$/.test(text) || Number(text) > MAX_REPLICAS) {
    throw new EngineUrlError(`its parameter replicas must be a number from 0 to ${MAX_REPLICAS}`);
  }
  return Number(text);
}

function parseAof(text: string | null): boolean {
  if (text !== null && text !== 'yes' && text !== 'no') {
    throw new EngineUrlError('its parameter aof must be yes or no');
  }
  return text === 'yes';
}

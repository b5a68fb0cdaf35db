import type { Now } from '../../runtime/clock.ts';
import type { RawStatus } from '../answers/raw-status.ts';
import type { DirectoryHost } from './directory-host.ts';

/** The server that a look-up in a directory must find. */
export interface DirectoryQuestion {
  /** Protocol id in catalog.json. */
  protocol: string;
  /** Host of the server as the caller wrote it: an address literal or a host name. */
  host: string;
  /** IP address literal to which the host resolves. */
  address: string;
  /** Ports under which the directory can list the server, the most likely port first. */
  ports: readonly number[];
  /** Password, key or token of the server; empty if the server has none. */
  secret: string;
  /** Options that the operator set for this server. */
  options: ReadonlyMap<string, string>;
}

/**
 * Looks up one server. Rejects with `UnknowableError` if the status cannot be found out. Any other error is a bug in
 * gsq.
 */
export type LookUp = (question: DirectoryQuestion) => Promise<RawStatus>;

/** Objects that a directory needs for its look-ups: a client for each of its hosts, and a clock. */
export interface DirectoryDependencies {
  /** One host per origin of the directory, in the order of `origins`. */
  hosts: readonly DirectoryHost[];
  now: Now;
}

/** Description of a directory: a service that lists the servers of a game. */
export interface Directory {
  /** Name of the directory in settings and metrics. */
  readonly name: string;
  /**
   * Kind of requests: `list` if one request returns all servers, `look-up` if each server, account or address needs a
   * separate request.
   */
  readonly kind: 'list' | 'look-up';
  /** Ids in catalog.json of the protocols whose servers this directory lists. */
  readonly protocols: readonly string[];
  /** Origins (scheme, host, port) of the directory. The majority of directories have a single origin. */
  readonly origins: readonly string[];
  /**
   * Maximum number of requests to each origin per minute. The limit holds for all probers together, because the core
   * lets only one prober query a directory.
   */
  readonly perMinute: number;
  /**
   * Objection of the directory's owner to requests of services such as gsq, in words and with its source. A directory
   * with an objection receives requests only if the operator opted in.
   */
  readonly objection?: string;
  open(parts: DirectoryDependencies): LookUp;
}

/** Returns the host of a directory that has a single origin. */
export function onlyHost({ hosts: [host] }: DirectoryDependencies): DirectoryHost {
  if (!host) throw new RangeError('a directory without a host');
  return host;
}

/**
 * Returns the keys under which to search for a server in a list. If the operator set the option `server_id`, the id is
 * the only key. If not, the keys are the address and the host name, each combined with every port.
 */
export function listKeys({ address, host, ports, options }: DirectoryQuestion): string[] {
  const id = options.get('server_id');
  if (id !== undefined) return [idKey(id)];
  const names = new Set([address, host]);
  return ports.flatMap(port => [...names].map(name => listKey(name, port)));
}

/** Returns the key of a server in a fetched server list. The key consists of the server's id. */
export function idKey(id: string): string {
  return `#${id.toLowerCase()}`;
}

/** Returns the key of a server in a fetched server list. The key consists of the host and the port. */
export function listKey(host: string, port: unknown): string {
  return `${host.toLowerCase()}:${port}`;
}

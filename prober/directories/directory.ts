import type { Now } from '../../runtime/clock.ts';
import type { RawStatus } from '../answers/raw-status.ts';
import type { DirectoryHost } from './directory-host.ts';

/** A game server to look up in the public server list of its game. */
export interface DirectoryQuestion {
  /** Id of the game's protocol, as in catalog.json. */
  protocol: string;
  /** Host of the game server as the caller wrote it: an address literal or a host name. */
  host: string;
  /** IP address literal to which the host of the game server resolves. */
  address: string;
  /** Ports under which the public server list can contain the server. The most likely port comes first. */
  ports: readonly number[];
  /** Password, key or token of the server; empty if the server has none. */
  secret: string;
  /** Options that the operator set for this game server. */
  options: ReadonlyMap<string, string>;
}

/**
 * Looks up one server in the public server list of its game. Rejects with `UnknowableError` if the status cannot be
 * determined. Any other error is a bug in gsq.
 */
export type LookUp = (question: DirectoryQuestion) => Promise<RawStatus>;

/** Objects that gsq needs to look up game servers in a public server list. */
export interface DirectoryDependencies {
  /** A client for each web host that serves the public server list, in the order of `origins`. */
  hosts: readonly DirectoryHost[];
  now: Now;
}

/** A service that lists the servers of a game: the public server list of the game. */
export interface Directory {
  /** Name of the public server list in settings and metrics. */
  readonly name: string;
  /**
   * `list` if one request to the public server list returns all servers. `look-up` if each server, account or address
   * needs its own request.
   */
  readonly kind: 'list' | 'look-up';
  /** Protocols whose servers are in this public server list. Each entry is a protocol id of catalog.json. */
  readonly protocols: readonly string[];
  /** Origins (scheme, host, port) of the service that publishes the server list. Most services have one origin. */
  readonly origins: readonly string[];
  /**
   * Maximum number of requests per minute to each web host in `origins`. A prober counts only its own requests. This is
   * enough, because the core lets only one prober at a time query a public server list.
   */
  readonly perMinute: number;
  /**
   * Present if the owner of the server list does not want requests from programs such as gsq. Contains the reason,
   * and a link to its source. gsq then requests the list only if the operator has allowed this.
   */
  readonly objection?: string;
  open(parts: DirectoryDependencies): LookUp;
}

/** Returns the host of a public server list that has exactly one host. */
export function onlyHost({ hosts: [host] }: DirectoryDependencies): DirectoryHost {
  if (!host) throw new RangeError('a directory without a host');
  return host;
}

/**
 * Returns the keys with which a server is looked up in a fetched server list. With the option `server_id`, the id is
 * the only key. Otherwise, each key is an IP address or host name with a port.
 */
export function listKeys({ address, host, ports, options }: DirectoryQuestion): string[] {
  const id = options.get('server_id');
  if (id !== undefined) return [idKey(id)];
  const names = new Set([address, host]);
  return ports.flatMap(port => [...names].map(name => listKey(name, port)));
}

/** Returns the key of a server in a fetched public server list. This key is made from the id of the server. */
export function idKey(id: string): string {
  return `#${id.toLowerCase()}`;
}

/**
 * Returns the key of a server in a fetched public server list. This key consists of the host and the port of the
 * server.
 */
export function listKey(host: string, port: unknown): string {
  return `${host.toLowerCase()}:${port}`;
}

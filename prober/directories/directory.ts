import type { Now } from '../../runtime/clock.ts';
import type { RawStatus } from '../answers/raw-status.ts';
import type { DirectoryHost } from './directory-host.ts';

/** A server to look up. */
export interface DirectoryQuestion {
  /** The protocol id in catalog.json. */
  protocol: string;
  /** The host as the caller named it: an address literal or a host name. */
  host: string;
  /** The address literal that the host resolves to. */
  address: string;
  /** Ports under which the server may be listed, likeliest first. */
  ports: readonly number[];
  /** The password, key or token of the server; empty if it has none. */
  secret: string;
  /** Options that the operator set for this server. */
  options: ReadonlyMap<string, string>;
}

/** Finds one server. Rejects with `UnknowableError`; any other error is a bug of ours. */
export type LookUp = (question: DirectoryQuestion) => Promise<RawStatus>;

/** What a directory needs for its look-ups. */
export interface DirectoryDependencies {
  /** The hosts of the directory's origins, in the same order. */
  hosts: readonly DirectoryHost[];
  now: Now;
}

/** A service that lists the servers of a game. */
export interface Directory {
  /** The name of the directory in settings and metrics. */
  readonly name: string;
  /**
   * `list`: one request returns all servers. `look-up`: each server, account or address takes a request of
   * its own.
   */
  readonly kind: 'list' | 'look-up';
  /** Protocol ids in catalog.json. */
  readonly protocols: readonly string[];
  /** Origins of the directory; most have one. */
  readonly origins: readonly string[];
  /** Requests to each origin in any minute, by all probers of a core together. */
  readonly perMinute: number;
  /** Why the directory is asked only if the operator opted in: its owner's words, with their source. */
  readonly objection?: string;
  open(parts: DirectoryDependencies): LookUp;
}

/** The host of a directory that has a single one. */
export function onlyHost({ hosts: [host] }: DirectoryDependencies): DirectoryHost {
  if (!host) throw new RangeError('a directory without a host');
  return host;
}

/**
 * Keys under which a server may be listed: the id that its operator set, or else its name or address with
 * each of the ports.
 */
export function listKeys({ address, host, ports, options }: DirectoryQuestion): string[] {
  const id = options.get('server_id');
  if (id !== undefined) return [idKey(id)];
  const names = new Set([address, host]);
  return ports.flatMap(port => [...names].map(name => listKey(name, port)));
}

/** The list key of a server that is identified by its id. */
export function idKey(id: string): string {
  return `#${id.toLowerCase()}`;
}

/** The list key of a server that is identified by its host and port. */
export function listKey(host: string, port: unknown): string {
  return `${host.toLowerCase()}:${port}`;
}

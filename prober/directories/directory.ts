import type { Now } from '../../runtime/clock.ts';
import type { RawStatus } from '../answers/raw-status.ts';
import type { DirectoryHost } from './directory-host.ts';

/** A server to look up. */
export interface DirectoryQuestion {
  /** As the catalog names it. */
  protocol: string;
  /** The server as it was named: an address literal or a host name. */
  host: string;
  /** The address literal the name leads to. */
  address: string;
  /** Ports the server may be listed under, likeliest first. */
  ports: readonly number[];
  /** A password, key or token of the server; empty where it has none. */
  secret: string;
  /** What the operator told about the server beside its address. */
  options: ReadonlyMap<string, string>;
}

/** Finds one server. Rejects with `UnknowableError`; anything else is a defect of ours. */
export type LookUp = (question: DirectoryQuestion) => Promise<RawStatus>;

/** What a directory needs to be asked. */
export interface DirectoryParts {
  /** Of each of the directory's origins, in their order. */
  hosts: readonly DirectoryHost[];
  now: Now;
}

/** A service that knows the servers of a game. */
export interface Directory {
  /** What the catalog and the operator call it. */
  readonly name: string;
  /** `list`: one request tells all servers; `look-up`: each server, account or address takes one of its own. */
  readonly kind: 'list' | 'look-up';
  /** As the catalog names them. */
  readonly protocols: readonly string[];
  /** Where it is asked; most have one place. */
  readonly origins: readonly string[];
  /** Requests to each origin in any minute, by all probers of a core together. */
  readonly perMinute: number;
  /** Why it is asked only if the operator opted in: its owner's words, with their source. */
  readonly objection?: string;
  open(parts: DirectoryParts): LookUp;
}

/** The one host of a directory that has one. */
export function onlyHost({ hosts: [host] }: DirectoryParts): DirectoryHost {
  if (!host) throw new RangeError('a directory without a host');
  return host;
}

/**
 * What a server may be listed under: the id that its operator told, where there is one, or else its name or its address
 * with each of the ports.
 */
export function listKeys({ address, host, ports, options }: DirectoryQuestion): string[] {
  const id = options.get('server_id');
  if (id !== undefined) return [idKey(id)];
  const names = new Set([address, host]);
  return ports.flatMap(port => [...names].map(name => listKey(name, port)));
}

/** The key in a list of a server that is told by its id. */
export function idKey(id: string): string {
  return `#${id.toLowerCase()}`;
}

/** The key in a list of a server that is told by name or address, and port. */
export function listKey(host: string, port: unknown): string {
  return `${host.toLowerCase()}:${port}`;
}

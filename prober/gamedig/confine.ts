import type { LookupAddress } from 'node:dns';
import { isIPv6, type LookupFunction, Socket } from 'node:net';
import type { Resolution } from '../../runtime/resolver.ts';

/** The directories some games' protocols look servers up in; gamedig 5.3.3 has no others. */
const DIRECTORIES = new Set([
  'api.alt-mp.com',
  'api.epicgames.dev',
  'api.scpslgame.com',
  'backend.beammp.com',
  'bp.userr00t.com',
  'brokeprotocol.com',
  'cdn.rage.mp',
  'geneshift.net',
  'hawakening.com',
  'masterserver.vintagestory.at',
  'multiplayer.factorio.com',
  'serverlist-rx.totemarts.services',
  'servers.minetest.net',
  'v2-services-live-pc.playhawken.com',
]);

const DIRECTORY_PORTS = new Set([80, 443]);

/** Where this thread may connect to by TCP. */
export interface Confinement {
  /** Whether an endpoint is one of those being asked, whose addresses were judged already. */
  vetted: (address: string, port: number) => boolean;
  /** Whether packets may go to an address that a directory's name leads to. */
  allows: (ip: string) => boolean;
  resolve: (name: string) => Promise<Resolution>;
  /** Others than gamedig's, at their own ports. */
  directories?: { names: ReadonlySet<string>; ports: ReadonlySet<number> };
}

/**
 * Lets this thread connect by TCP to the endpoints `vetted` says yes to and to the directories, and nowhere
 * else: gamedig follows HTTP redirects, so a game server could otherwise send it to any host and port we can reach.
 * A directory is connected to at an address that was judged, whatever its name leads to a moment later.
 */
export function confineConnections({ vetted, allows, resolve, directories }: Confinement): void {
  const { names, ports } = directories ?? { names: DIRECTORIES, ports: DIRECTORY_PORTS };
  const lookup = judgedLookup(resolve, allows);
  const connect = Socket.prototype.connect;
  const confined = function (this: Socket, ...args: unknown[]): unknown {
    const endpoint = endpointOf(args);
    if (!endpoint) throw new Error('may not connect to a path');
    const { host, port, options, connected } = endpoint;
    if (vetted(host, port)) return Reflect.apply(connect, this, args);
    if (!names.has(host) || !ports.has(port)) throw new Error(`may not connect to ${host}, port ${port}`);
    return Reflect.apply(connect, this, [{ ...options, host, port, lookup }, ...connected]);
  };
  Object.defineProperty(Socket.prototype, 'connect', { value: confined, configurable: true, writable: true });
}

/** Resolves names as `net.connect` wants it, to those of their addresses that may be connected to. */
function judgedLookup(resolve: Confinement['resolve'], allows: Confinement['allows']): LookupFunction {
  return async (name, { all, family }, done) => {
    const resolution = await resolve(name);
    if (resolution.kind !== 'addresses') {
      const reason = resolution.kind === 'failed' ? resolution.reason : 'it has none';
      done(new Error(`may not connect to ${name}: no address was found: ${reason}`), '');
      return;
    }
    const found: LookupAddress[] = resolution.addresses
      .filter(ip => allows(ip))
      .map(address => ({ address, family: isIPv6(address) ? 6 : 4 }))
      .filter(each => (family !== 4 && family !== 6) || each.family === family);
    const [first] = found;
    if (!first) done(new Error(`may not connect to ${name}: it has no address that may be connected to`), '');
    else if (all) done(null, found);
    else done(null, first.address, first.family);
  };
}

interface Wanted {
  host: string;
  port: number;
  /** What else was asked for of the connection. */
  options: object;
  /** Who waits for it. */
  connected: unknown[];
}

/** `connect(port, host)`, `connect({port, host})` or node's own `connect([{port, host}, …])`; undefined for a path. */
function endpointOf([first, second, third]: unknown[]): Wanted | undefined {
  if (Array.isArray(first)) return endpointOf(first);
  const connected = [second, third].filter(each => typeof each === 'function');
  if (typeof first === 'object' && first !== null) {
    const { host, port, path } = { host: undefined, port: undefined, path: undefined, ...first };
    if (path && !port) return undefined;
    return {
      host: typeof host === 'string' ? host : 'localhost',
      port: Number(port),
      options: first,
      connected,
    };
  }
  if (typeof first !== 'number') return undefined;
  return { host: typeof second === 'string' ? second : 'localhost', port: first, options: {}, connected };
}

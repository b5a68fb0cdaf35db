import { Socket } from 'node:net';

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

/**
 * Lets this thread connect by TCP to the addresses `vetted` says yes to and to the directories, and nowhere
 * else: gamedig follows HTTP redirects, so a game server could otherwise send it to any host we can reach.
 */
export function confineConnections(vetted: (address: string) => boolean): void {
  const connect = Socket.prototype.connect;
  const confined = function (this: Socket, ...args: unknown[]): unknown {
    const host = hostOf(args);
    if (host === undefined || !(vetted(host) || DIRECTORIES.has(host))) {
      throw new Error(`may not connect to ${host ?? 'a path'}`);
    }
    return Reflect.apply(connect, this, args);
  };
  Object.defineProperty(Socket.prototype, 'connect', { value: confined, configurable: true, writable: true });
}

/** `connect(port, host)`, `connect({port, host})` or node's own `connect([{port, host}, …])`. */
function hostOf([first, second]: unknown[]): string | undefined {
  if (Array.isArray(first)) return hostOf(first);
  if (typeof first === 'object' && first !== null) {
    if ('path' in first && first.path && !('port' in first && first.port)) return undefined;
    return 'host' in first && typeof first.host === 'string' ? first.host : 'localhost';
  }
  if (typeof first === 'number') return typeof second === 'string' ? second : 'localhost';
  return undefined;
}

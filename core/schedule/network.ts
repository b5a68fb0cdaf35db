import { networkOf } from '../../proto/network.ts';

/** The network a canonical `host:port` is in, written in no form that others read. A name stands for itself. */
export function networkOfServer(server: string): string {
  const host = server.slice(0, server.lastIndexOf(':'));
  if (host.startsWith('[')) return networkOf(host.slice(1, -1));
  return /^[\d.]+$/.test(host) ? networkOf(host) : host;
}

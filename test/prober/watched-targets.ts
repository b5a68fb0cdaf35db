import { checkAddress, checkName } from '../../core/servers/pair-check.ts';
import type { Resolver } from '../../net/resolver.ts';
import { TargetPolicy } from '../../net/targets.ts';
import { NameServer } from '../system/name-server.ts';

/**
 * One game for each way in which gsq sends queries: over UDP, over TCP, and with the library gamedig in a worker
 * thread.
 */
export const WAYS = [
  { protocol: 'a2s', gamedigId: 'counterstrike2' },
  { protocol: 'minecraft', gamedigId: 'minecraft' },
  { protocol: 'savage2', gamedigId: 's2ats' },
];

/** Address ranges of the loopback interface, for IPv4 and IPv6. */
export const LOOPBACK = ['127.0.0.0/8', '::1'];

/** Target policy that allows game servers at public addresses and at loopback addresses. */
export const opened = new TargetPolicy(LOOPBACK);

/** Starts a DNS server that answers every unknown host name with loopback addresses. */
export async function startNameServer(): Promise<NameServer> {
  const dns = await NameServer.start({});
  const told = dns.names.get.bind(dns.names);
  dns.names.get = name => told(name) ?? { a: ['127.0.0.1'], aaaa: ['::1'] };
  return dns;
}

/** Returns the reason why a fetch refuses a server address. Returns undefined for an accepted address. */
export async function refusal(
  text: string,
  policy: TargetPolicy,
  names: Resolver,
): Promise<string | undefined> {
  const address = checkAddress(text, policy);
  if ('reason' in address) return address.reason;
  const found = address.kind === 'name' ? await checkName(address.host, policy, names) : '';
  return typeof found === 'string' ? undefined : found.reason;
}

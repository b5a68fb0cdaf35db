import type { TestContext } from 'node:test';
import { Resolver } from '../../net/resolver.ts';
import { TargetPolicy } from '../../net/targets.ts';
import { type NamedTarget, resolveTarget } from '../../prober/target.ts';
import { NameServer, type Records } from '../system/name-server.ts';

/** Target policy that allows game servers only at public addresses. */
export const closed = new TargetPolicy([]);

const target = (change: Partial<NamedTarget>): NamedTarget => ({
  host: '1.2.3.4',
  port: 27015,
  queryPorts: [27016, 27015],
  protocol: 'a2s',
  gamedigId: 'csgo',
  confirm: false,
  ...change,
});

/**
 * Starts a DNS server with these records. Returns functions that resolve the targets of probes, and the list of the DNS
 * queries that the server has received.
 */
export async function resolving(t: TestContext, names: Record<string, Records> = {}) {
  const dns = await NameServer.start(names);
  t.after(() => dns.stop());
  const resolver = new Resolver([dns.address], () => 0);
  const resolve = (change: Partial<NamedTarget>, policy = closed) =>
    resolveTarget(target(change), policy, resolver);
  return {
    resolve,
    asked: dns.questions,
    outcomeOf: async (change: Partial<NamedTarget>, policy = closed): Promise<string> => {
      const found = await resolve(change, policy);
      return 'outcome' in found ? found.outcome : found.address;
    },
  };
}

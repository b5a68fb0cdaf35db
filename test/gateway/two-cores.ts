import type { TestContext } from 'node:test';
import { CoreSet } from '../../gateway/upstream/core-set.ts';
import { AnnouncedMembers } from '../proto/cluster/announced-members.ts';
import { credentials } from './ask.ts';
import { type GatewayUnderTest, runGateway } from './running-gateway.ts';
import { ScriptedCore } from './scripted-core.ts';
import { StallingProxy } from './stalling-proxy.ts';

/**
 * Starts two fake cores that announce each other. A proxy in front of the second core can freeze the connections to it.
 */
export async function startCluster(t: TestContext) {
  const cores = [new ScriptedCore(), new ScriptedCore()] as const;
  const [steady, risky] = cores;
  for (const core of cores) {
    core.members = new AnnouncedMembers();
    await core.start();
    t.after(() => core.stop());
  }
  const proxy = await StallingProxy.start(risky.address);
  t.after(() => proxy.stop());
  const addresses = [steady.address, proxy.address];
  for (const core of cores) core.members?.announce(addresses);
  const placed = new CoreSet('');
  placed.update(addresses.map(address => ({ address, responds: true })));
  let token = 'a-token';
  while (placed.pickCore(token) !== proxy.address) token += '.';
  /**
   * HTTP headers of a caller whose calls go through a proxy to the core `risky`. The gateway chooses a core by the
   * token of the caller, so the headers contain a token for which the gateway chooses `risky`.
   */
  const headers = { ...credentials, 'X-API-Token': token };
  return { cores, steady, risky, proxy, headers, placed, addresses };
}

type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Starts a gateway that knows only the address of the first core, and waits until it is connected to both cores. */
export async function startGateway(
  t: TestContext,
  { cores, steady }: Cluster,
  env: Record<string, string> = {},
): Promise<GatewayUnderTest> {
  const before = cores.map(({ streams }) => streams);
  const gateway = await runGateway(steady.address, env);
  t.after(() => gateway.running.drain());
  await Promise.all(cores.map((core, i) => core.until(() => core.streams === (before[i] ?? 0) + 4)));
  return gateway;
}

import { isIPv6, SocketAddress } from 'node:net';
import { addressKey } from '../net/address-key.ts';
import type { Resolver } from '../net/resolver.ts';
import { isGamePort, type TargetPolicy } from '../net/targets.ts';
import { givenQueryPort } from '../proto/game-access.ts';
import type { Lease__Output } from '../proto/generated/gsq/v1/Lease.ts';
import type { ProbeTarget } from './probes/probe-target.ts';

/** A server to probe, as a lease or a person names it. */
export interface NamedTarget {
  /** IPv4, IPv6 without brackets, or a host name. */
  host: string;
  port: number;
  /** Ports to ask, in order. */
  queryPorts: readonly number[];
  protocol: string;
  gamedigId: string;
  confirm: boolean;
  /** How long to wait for each reply over UDP, in ms; 0: as long as the prober thinks right. */
  timeoutMs?: number;
  /** Its status must be settled soon. */
  urgent?: boolean;
  /** A password, key or token of the server. */
  secret?: string;
  /** What the operator told about the server beside its address. `query_port` takes the place of all query ports. */
  options?: ReadonlyMap<string, string>;
}

/** The server of a lease, with its options by name. */
export function namedTarget(lease: Lease__Output): NamedTarget {
  const { host, port, queryPorts, protocol, gamedigId, confirm, timeoutMs, urgent, secret } = lease;
  const target: NamedTarget = {
    host,
    port,
    queryPorts,
    protocol,
    gamedigId,
    confirm,
    timeoutMs,
    urgent,
    secret,
  };
  if (lease.options.length > 0)
    target.options = new Map(lease.options.map(({ name, value }) => [name, value]));
  return target;
}

/** Why nothing may or can be sent. */
export interface Unreachable {
  outcome: 'PROBE_OUTCOME_UNRESOLVABLE' | 'PROBE_OUTCOME_BLOCKED' | 'PROBE_OUTCOME_PROBER_FAULT';
  detail: string;
}

/** The port a Minecraft client looks SRV records up for; any other port is taken as it is. */
const MINECRAFT_PORT = 25565;

/**
 * Turns names into an address that may be sent to; at once where the host is an address already. The address is checked
 * after the look-up and is the one that is then connected to, so a name that changes its answer gains nothing.
 */
export function resolveTarget(
  named: NamedTarget,
  policy: TargetPolicy,
  resolver: Resolver,
): ProbeTarget | Unreachable | Promise<ProbeTarget | Unreachable> {
  const { host } = named;
  return isLiteral(host)
    ? targetAt(named, host, [host], portsOf(named), policy)
    : lookedUpTarget(named, policy, resolver);
}

async function lookedUpTarget(
  named: NamedTarget,
  policy: TargetPolicy,
  resolver: Resolver,
): Promise<ProbeTarget | Unreachable> {
  let name = named.host;
  let queryPorts = portsOf(named);
  const isFixed = givenQueryPort(named.options) !== undefined;
  if (named.protocol === 'minecraft' && named.port === MINECRAFT_PORT && !isFixed) {
    const service = await resolver.service(`_minecraft._tcp.${name}`);
    if (service) {
      if (!isGamePort(service.port)) {
        return {
          outcome: 'PROBE_OUTCOME_BLOCKED',
          detail: `the SRV record of ${name} names port ${service.port}, which is none of game servers`,
        };
      }
      name = service.host;
      queryPorts = [service.port];
    }
  }
  if (isLiteral(name)) return targetAt(named, name, [name], queryPorts, policy);
  const resolution = await resolver.resolve(name);
  if (resolution.kind === 'failed') {
    // Name servers that do not answer say nothing about the game server.
    return {
      outcome: 'PROBE_OUTCOME_PROBER_FAULT',
      detail: `look-up of ${name} failed: ${resolution.reason}`,
    };
  }
  if (resolution.kind === 'absent') {
    return { outcome: 'PROBE_OUTCOME_UNRESOLVABLE', detail: `${name} has no address` };
  }
  return targetAt(named, name, resolution.addresses, queryPorts, policy);
}

/** The ports to ask: the one the operator named, or else the game's. */
function portsOf({ queryPorts, options }: NamedTarget): readonly number[] {
  const given = givenQueryPort(options);
  return given === undefined ? queryPorts : [given];
}

/** The first address of a name that may be sent to. */
function targetAt(
  named: NamedTarget,
  name: string,
  addresses: readonly string[],
  queryPorts: readonly number[],
  policy: TargetPolicy,
): ProbeTarget | Unreachable {
  const { host } = named;
  // A game's offset may lead from a port that is allowed to one that is not.
  const ports = queryPorts.every(isGamePort) ? queryPorts : queryPorts.filter(isGamePort);
  if (ports.length === 0)
    return { outcome: 'PROBE_OUTCOME_BLOCKED', detail: 'no port that game servers use' };
  for (const ip of addresses) {
    const reach = policy.reach(ip);
    if (reach === 'refused') continue;
    const address = asTheKernelWrites(ip);
    const own = reach === 'own';
    const { protocol, gamedigId, confirm, timeoutMs = 0, urgent = false, secret, options } = named;
    return {
      address,
      own,
      policy,
      host,
      ports,
      joinPort: named.port,
      protocol,
      gamedigId,
      confirm,
      timeoutMs,
      urgent,
      secret,
      options,
    };
  }
  return { outcome: 'PROBE_OUTCOME_BLOCKED', detail: `${name} has no address that may be probed` };
}

function isLiteral(host: string): boolean {
  return typeof addressKey(host) === 'number' || isIPv6(host);
}

/** One address, one text: replies are told apart by it, and budgets kept by it. */
function asTheKernelWrites(ip: string): string {
  return ip.includes(':') ? new SocketAddress({ address: ip, family: 'ipv6' }).address : ip;
}

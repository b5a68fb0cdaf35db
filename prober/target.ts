import { isIPv6, SocketAddress } from 'node:net';
import { addressKey } from '../net/address-key.ts';
import type { Resolver } from '../net/resolver.ts';
import { isGamePort, type TargetPolicy } from '../net/targets.ts';
import { givenQueryPort } from '../proto/game-access.ts';
import type { Lease__Output } from '../proto/generated/gsq/v1/Lease.ts';
import type { ProbeTarget } from './probes/probe-target.ts';

/** A server to probe, as a lease or a person names it. */
export interface NamedTarget {
  /** An IPv4 address, an IPv6 address without brackets, or a host name. */
  host: string;
  port: number;
  /** The ports to ask, in order. */
  queryPorts: readonly number[];
  protocol: string;
  gamedigId: string;
  confirm: boolean;
  /** Time to wait for each reply over UDP, ms; 0 means the prober's default. */
  timeoutMs?: number;
  /** True if the status must be settled soon. */
  urgent?: boolean;
  /** The password, key or token of the server. */
  secret?: string;
  /** Options that the operator set for this server. `query_port` replaces all query ports. */
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

/** The reason why nothing may or can be sent. */
export interface Unreachable {
  outcome: 'PROBE_OUTCOME_UNRESOLVABLE' | 'PROBE_OUTCOME_BLOCKED' | 'PROBE_OUTCOME_PROBER_FAULT';
  detail: string;
}

/** Minecraft clients look up SRV records for this port only. */
const MINECRAFT_PORT = 25565;

/**
 * Resolves a name to an address that may be probed; returns at once if the host is an address. The address is
 * checked after the look-up and then connected to directly, so a name that changes its answer (DNS rebinding)
 * gains nothing.
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
    // A name server that does not answer says nothing about the game server.
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

/** The ports to ask: the one the operator set, or else those of the game. */
function portsOf({ queryPorts, options }: NamedTarget): readonly number[] {
  const given = givenQueryPort(options);
  return given === undefined ? queryPorts : [given];
}

/** The first address of a name that may be probed. */
function targetAt(
  named: NamedTarget,
  name: string,
  addresses: readonly string[],
  queryPorts: readonly number[],
  policy: TargetPolicy,
): ProbeTarget | Unreachable {
  const { host } = named;
  // A game's port offset may lead from an allowed port to a forbidden one.
  const ports = queryPorts.every(isGamePort) ? queryPorts : queryPorts.filter(isGamePort);
  if (ports.length === 0)
    return { outcome: 'PROBE_OUTCOME_BLOCKED', detail: 'no port that game servers use' };
  for (const ip of addresses) {
    const reach = policy.reach(ip);
    if (reach === 'refused') continue;
    const address = kernelNotation(ip);
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

/** Normalises an address: replies and rate limits are matched by this text. */
function kernelNotation(ip: string): string {
  return ip.includes(':') ? new SocketAddress({ address: ip, family: 'ipv6' }).address : ip;
}

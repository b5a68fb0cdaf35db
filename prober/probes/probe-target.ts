import type { TargetPolicy } from '../../net/targets.ts';

/** A server to probe. Its host is resolved to an address, and the target policy allows this address. */
export interface ProbeTarget {
  /** IPv4 or IPv6 literal in canonical form, without brackets. */
  address: string;
  /** Host as the caller wrote it. Players connect to this host, and queries to Minecraft servers contain it. */
  host: string;
  /** Ports to query, one after another, until one of them answers. */
  ports: readonly number[];
  /** Port that players join, unless the reply of the server contains a different join port. */
  joinPort: number;
  /** Id of the game's query protocol, as in catalog.json. */
  protocol: string;
  /** Id of the game in gamedig. It is used if the prober does not implement the protocol itself. */
  gamedigId: string;
  /**
   * True if the server is in a network of the operator. The packet limits for each address and each network then do not
   * apply. Only the packet limit of the whole prober applies.
   */
  own?: boolean;
  /**
   * Specifies the IP addresses to which the prober is allowed to connect when it looks up this server in a public
   * server list. If absent, only public addresses are allowed.
   */
  policy?: TargetPolicy;
  /**
   * True if this probe repeats a failed probe to confirm the failure. It must then use a different UDP socket than the
   * failed probe, because perhaps that socket caused the failure.
   */
  confirm: boolean;
  /** Longest time to wait for each reply over UDP, ms; 0 means two seconds. */
  timeoutMs?: number;
  /**
   * True if a caller waits for the status of the server. The prober then starts this probe before all other waiting
   * probes of the same IP address.
   */
  urgent?: boolean;
  /** Password, key or token of the server; empty or absent if the server has none. */
  secret?: string | undefined;
  /** Options that the operator set for this server. */
  options?: ReadonlyMap<string, string> | undefined;
}

import type { TargetPolicy } from '../../net/targets.ts';

/** A server to ask. Its name is resolved and its address is allowed by the target policy. */
export interface ProbeTarget {
  /** An IPv4 or IPv6 literal as the kernel writes it, without brackets. */
  address: string;
  /** The host as the caller named it. Minecraft servers are told this name, and players connect to it. */
  host: string;
  /** The ports to ask, in this order, until one answers. */
  ports: readonly number[];
  /** The port that players join at, unless the server names another. */
  joinPort: number;
  /** The protocol id in catalog.json. */
  protocol: string;
  /** gamedig's id of the game, used if the prober has no module for its protocol. */
  gamedigId: string;
  /**
   * True if the server is in a network of the operator's own, to which only the overall packet limit applies.
   */
  own?: boolean;
  /** The addresses at which a directory of the server may be contacted; without a policy only public ones. */
  policy?: TargetPolicy;
  /** True if the last probe failed: this one asks from another socket. */
  confirm: boolean;
  /** Time to wait for each reply over UDP, ms; 0 means two seconds. */
  timeoutMs?: number;
  /** True if the status must be settled soon: this probe goes ahead of others at its address. */
  urgent?: boolean;
  /** The password, key or token of the server; empty or absent if it has none. */
  secret?: string | undefined;
  /** Options that the operator set for this server. */
  options?: ReadonlyMap<string, string> | undefined;
}

import type { TargetPolicy } from '../../net/targets.ts';

/** A server to ask, its name resolved and its address vetted by the caller. */
export interface ProbeTarget {
  /** An IPv4 or IPv6 literal as the kernel writes it, without brackets: nothing here resolves names. */
  address: string;
  /** The server as it was named: told to Minecraft servers, and where players connect. */
  host: string;
  /** Asked in this order until one answers. */
  ports: readonly number[];
  /** The port players join at, unless the server names another. */
  joinPort: number;
  /** As the catalog names it. */
  protocol: string;
  /** What gamedig calls the game; used where the protocol has no module here. */
  gamedigId: string;
  /** Whether it is on a network of the operator's own, where only what is sent in all is bounded. */
  own?: boolean;
  /** At which addresses a directory may be that knows the server; without it, at public addresses alone. */
  policy?: TargetPolicy;
  /** The last probe failed: ask from another socket than usual. */
  confirm: boolean;
  /** How long to wait for each reply over UDP, in ms; 0: two seconds. */
  timeoutMs?: number;
  /** Its status must be settled soon: it asks before others at its address. */
  urgent?: boolean;
  /** A password, key or token of the server; empty or absent if it has none. */
  secret?: string | undefined;
  /** What the operator told about the server beside its address. */
  options?: ReadonlyMap<string, string> | undefined;
}

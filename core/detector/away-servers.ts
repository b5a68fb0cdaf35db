import { networkKeysOf } from './network-keys.ts';

/**
 * Servers that have been offline for a long time, grouped by host. Their runs of unanswered probes have been deleted.
 * When one of the servers answers again, `atHost` returns the other servers of its host. Two host names count as two
 * hosts, even if they have the same IP address.
 */
export class AwayServers {
  /**
   * Keys of the servers of each host: 60 to 140 bytes for each server, instead of 630 to 950 bytes for a series of
   * unanswered probes. The key of the only server of a host is stored without a `Set`, which would take 154 bytes more.
   */
  readonly #hosts = new Map<number, string | Set<string>>();

  add(key: string): void {
    const host = hostOf(key);
    const keys = this.#hosts.get(host);
    if (keys === undefined) this.#hosts.set(host, key);
    else if (typeof keys !== 'string') keys.add(key);
    else if (keys !== key) this.#hosts.set(host, new Set([keys, key]));
  }

  remove(key: string): void {
    if (this.#hosts.size === 0) return;
    const host = hostOf(key);
    const keys = this.#hosts.get(host);
    if (keys === key) this.#hosts.delete(host);
    else if (keys instanceof Set && keys.delete(key) && keys.size === 0) this.#hosts.delete(host);
  }

  /** Returns the keys of the servers of a host. `host`: `NetworkKeys.host` of the address in their records. */
  atHost(host: number): readonly string[] {
    const keys = this.#hosts.get(host);
    if (keys === undefined) return [];
    return typeof keys === 'string' ? [keys] : [...keys];
  }
}

/** Returns the key of the host in a server key (`serverKey`), which has the form `game address`. */
function hostOf(key: string): number {
  return networkKeysOf(key.slice(key.indexOf(' ') + 1)).host;
}

import type { Host } from './host.ts';
import type { Pacing } from './pacing.ts';

/**
 * A probe of one IP address that the rate limiter has admitted. Checks the rate limits before each packet. Counts the
 * sent, lost and rejected packets of the probe.
 */
export class AdmittedProbe {
  /** Number of packets that the probe has sent. */
  packets = 0;
  /** Number of packets of the probe that the server did not answer. */
  lost = 0;
  /**
   * Number of packets of the probe that were rejected by an ICMP error message or a refused TCP connection. `lost` also
   * counts these packets.
   */
  rejected = 0;
  /** True if the probed server demanded a challenge: a token that the query must repeat. */
  challenged = false;
  readonly host: Host;
  /** Ports that this probe is allowed to query. */
  readonly ports: readonly number[];
  readonly since: number;
  readonly #pacing: Pacing;

  constructor(host: Host, ports: readonly number[], since: number, pacing: Pacing) {
    this.host = host;
    this.ports = ports;
    this.since = since;
    this.#pacing = pacing;
  }

  /** Returns true if the rate limits allow a packet now. The packet then counts as sent, so the caller must send it. */
  reservePacket(now = this.#pacing.now()): boolean {
    const may = this.#pacing.reservePacket(this.host, now);
    if (may) this.packets++;
    return may;
  }

  /**
   * Calls `go(true)` when the rate limits allow a packet. The caller must then send the packet. Calls `go(false)` if
   * the wait becomes too long.
   */
  whenRoom(go: (hasRoom: boolean) => void): void {
    this.#pacing.queuePacket(this.host, hasRoom => {
      if (hasRoom) this.packets++;
      go(hasRoom);
    });
  }

  /**
   * Resolves to true when the rate limits allow a packet; the caller must then send the packet. Resolves to false if
   * the wait becomes too long. Only for probes with few packets, because each call creates a promise.
   */
  waitForPacket(): Promise<boolean> {
    return new Promise(resolve => (this.reservePacket() ? resolve(true) : this.whenRoom(resolve)));
  }
}

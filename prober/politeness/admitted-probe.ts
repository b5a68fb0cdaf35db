import type { Host } from './host.ts';
import type { Pacing } from './pacing.ts';

/**
 * A probe that politeness admitted to one IP address. It reserves room before each packet and counts what
 * became of its packets.
 */
export class AdmittedProbe {
  /** Number of packets sent. */
  packets = 0;
  /** Number of packets that were never answered. */
  lost = 0;
  /** Number of lost packets that an ICMP message or a refused connection rejected. */
  rejected = 0;
  /** True if the server demanded a challenge. */
  challenged = false;
  readonly host: Host;
  /** The ports that this probe may ask. */
  readonly ports: readonly number[];
  readonly since: number;
  readonly #pacing: Pacing;

  constructor(host: Host, ports: readonly number[], since: number, pacing: Pacing) {
    this.host = host;
    this.ports = ports;
    this.since = since;
    this.#pacing = pacing;
  }

  /** Returns whether a packet may be sent now, and counts it as sent: the caller must send it. */
  reservePacket(now = this.#pacing.now()): boolean {
    const may = this.#pacing.reservePacket(this.host, now);
    if (may) this.packets++;
    return may;
  }

  /**
   * Calls `go(true)` once a packet may be sent, and the caller must then send it. Calls `go(false)` if there
   * is no room for too long.
   */
  whenRoom(go: (hasRoom: boolean) => void): void {
    this.#pacing.queuePacket(this.host, hasRoom => {
      if (hasRoom) this.packets++;
      go(hasRoom);
    });
  }

  /**
   * Resolves to true once a packet may be sent, to false if there is no room for too long. For probes that
   * send few packets.
   */
  waitForPacket(): Promise<boolean> {
    return new Promise(resolve => (this.reservePacket() ? resolve(true) : this.whenRoom(resolve)));
  }
}
